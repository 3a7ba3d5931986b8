"""A filter keeps a record unchanged, timestamp and headers included, or drops it silently."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").filter(lambda key, value: len(value) > 2).to("out")
    return builder.build()
