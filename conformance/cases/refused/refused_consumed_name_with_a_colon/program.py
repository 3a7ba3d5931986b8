"""The name of a source is checked like any other."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(name="my:source")).to("out")
    return builder.build()
