"""Records of one topic are worked on as they were written, whatever their timestamps."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").peek(lambda key, value: log(value)).to("out")
    return builder.build()
