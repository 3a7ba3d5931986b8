"""A source that nobody reads on from is a sub-topology of its own."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in")
    builder.stream("other").to("out")
    return builder.build()
