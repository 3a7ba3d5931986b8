"""A topic is read as a table once; a second table, or a stream, is refused."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in")
    builder.table("in")
    return builder.build()
