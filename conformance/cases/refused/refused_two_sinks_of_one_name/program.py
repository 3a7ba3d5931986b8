"""Two sinks cannot have the same name."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.to("one", Produced(name="same"))
    stream.to("two", Produced(name="same"))
    return builder.build()
