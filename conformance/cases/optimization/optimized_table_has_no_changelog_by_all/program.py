"""The topic of a table is its changelog, if all optimizations are asked for."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("rows", materialized=Materialized("rows-store")).to_stream().to("out")
    return builder.build({"topology.optimization": "all"})
