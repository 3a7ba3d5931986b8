"""A record reaches a merge along both ways, first by the node that was drawn first."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    upper = stream.map_values(lambda value: value.upper())
    upper.merge(stream).to("upper-first")
    stream.merge(upper).to("stream-first")
    return builder.build()
