"""Mapped rows are kept in the store; a mapper that gives null deletes."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    table.map_values(
        lambda value: None if value == "3" else value * 2, Materialized("doubled")
    ).to_stream().to("out")
    return builder.build()
