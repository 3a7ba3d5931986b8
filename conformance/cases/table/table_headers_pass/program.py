"""A table's changes have the headers of their records."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized("rows")).to_stream().to("out")
    builder.table("in2").map_values(lambda value: value).to_stream().to("out")
    return builder.build()
