"""The pairs of a flat_map may have null keys and null values."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").flat_map(
        lambda key, value: [(None, value), (key, None), (None, None), (value, key)]
    ).to("out")
    return builder.build()
