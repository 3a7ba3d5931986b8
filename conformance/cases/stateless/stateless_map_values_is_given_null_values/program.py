"""map_values is called for null values and may give null for a value that was none."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map_values(lambda value: "was null" if value is None else None).to("out")
    return builder.build()
