"""repartition() writes to an internal topic with the application id before its generated name."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").repartition().map_values(lambda value: value + "!").to("out")
    return builder.build()
