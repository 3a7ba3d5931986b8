"""flat_map_values gives one record per value, each with the key of the input."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").flat_map_values(lambda value: list(value or "")).to("out")
    return builder.build()
