"""Two streams of one topic must start at the same place."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(offset_reset="earliest")).to("out")
    builder.stream("in", Consumed(offset_reset="latest")).to("out")
    return builder.build()
