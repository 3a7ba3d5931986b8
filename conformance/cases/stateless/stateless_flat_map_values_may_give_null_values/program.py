"""A list with a null in it gives a record with a null value."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").flat_map_values(lambda value: [value, None, value]).to("out")
    return builder.build()
