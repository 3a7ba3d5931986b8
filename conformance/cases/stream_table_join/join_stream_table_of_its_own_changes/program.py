"""A stream joined with the table of its own records: the table first sees the record, or not,
in the order drawn.
"""

from collections.abc import Callable

from penstock import KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream: KStream[str, str] = builder.stream("in")
    table = stream.to_table()
    stream.left_join(table, pair).to("after")
    return builder.build()
