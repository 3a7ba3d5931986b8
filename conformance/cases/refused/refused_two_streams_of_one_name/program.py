"""Two sources of different topics cannot have the same name."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("one", Consumed(name="same")).to("out")
    builder.stream("two", Consumed(name="same")).to("out")
    return builder.build()
