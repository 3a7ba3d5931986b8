"""A table made of a stream keeps its changelog: no topic holds its rows."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("rows").to_table(Materialized("rows-store")).to_stream().to("out")
    return builder.build({"topology.optimization": "all"})
