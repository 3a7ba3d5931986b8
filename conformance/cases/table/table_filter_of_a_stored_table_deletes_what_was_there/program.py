"""A filter of a table with a store deletes only rows that it had kept."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized("rows")).filter(
        lambda key, value: int(value) % 2 == 0
    ).to_stream().to("out")
    return builder.build()
