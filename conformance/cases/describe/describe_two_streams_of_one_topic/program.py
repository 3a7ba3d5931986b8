"""Two streams of one topic are one source with the children of both."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").filter(lambda key, value: True).to("first")
    builder.stream("other").to("second")
    builder.stream("in").map_values(lambda value: value).peek(lambda key, value: None).to("third")
    return builder.build()
