"""A table with a cache writes no changelog either when it is flushed."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 100_000, "topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("rows", materialized=Materialized("rows-store")).to_stream().to("out")
    return builder.build({"topology.optimization": "all"})
