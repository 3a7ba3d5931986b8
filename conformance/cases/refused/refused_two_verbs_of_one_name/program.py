"""Two verbs cannot have the same name."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.filter(lambda key, value: True, named="same").to("out")
    stream.map_values(lambda value: value, named="same").to("out")
    return builder.build()
