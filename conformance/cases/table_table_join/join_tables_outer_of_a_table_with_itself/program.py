"""The outer join of a table with itself: each change meets its own row."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    table.outer_join(table, joined).to_stream().to("out")
    return builder.build()
