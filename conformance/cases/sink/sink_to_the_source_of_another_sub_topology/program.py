"""A topic written by one sub-topology and read by another joins them without an edge."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map_values(lambda value: value + "1").to("between")
    builder.stream("between").map_values(lambda value: value + "2").to("out")
    return builder.build()
