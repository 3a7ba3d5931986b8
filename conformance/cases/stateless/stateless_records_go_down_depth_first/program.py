"""The first record of a flat_map runs through all nodes before the second one starts."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(lambda value: value.split("-"))
    words.peek(lambda key, value: log(f"left {value}")).for_each(
        lambda key, value: log(f"left end {value}")
    )
    words.peek(lambda key, value: log(f"right {value}")).for_each(
        lambda key, value: log(f"right end {value}")
    )
    return builder.build()
