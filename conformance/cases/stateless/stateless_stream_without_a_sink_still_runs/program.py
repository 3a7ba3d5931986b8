"""A stream that ends in no sink still runs its verbs."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").peek(lambda key, value: log(value)).map_values(lambda value: value * 2)
    return builder.build()
