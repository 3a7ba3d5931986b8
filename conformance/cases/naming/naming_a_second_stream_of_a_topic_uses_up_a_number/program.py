"""The second stream() of a topic shares the first one's node but still uses up a number."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map_values(lambda value: value + "1").to("out")
    builder.stream("in").map_values(lambda value: value + "2").to("out")
    builder.stream("in", Consumed(name="unused")).map_values(lambda value: value + "3").to("out")
    return builder.build()
