"""Of two streams of one topic both must say where to start, or none."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(offset_reset="earliest")).to("out")
    builder.stream("in").to("out")
    return builder.build()
