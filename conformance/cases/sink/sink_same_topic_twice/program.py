"""Two sinks on one topic both write, in the order of the program."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.map_values(lambda value: value + "1").to("out")
    stream.to("out")
    stream.map_values(lambda value: value + "2").to("out")
    return builder.build()
