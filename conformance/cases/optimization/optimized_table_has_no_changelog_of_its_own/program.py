"""The topic of a table is its changelog."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "reuse.ktable.source.topics"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("rows", materialized=Materialized("rows-store")).to_stream().to("out")
    return builder.build({"topology.optimization": "reuse.ktable.source.topics"})
