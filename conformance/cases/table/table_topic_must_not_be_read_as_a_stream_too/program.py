"""A topic is read as a table or as a stream, not as both."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in")
    builder.stream("in")
    return builder.build()
