"""A sink may choose its topic from key and value, record by record."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to(lambda key, value, context: f"{key}-{'empty' if not value else 'full'}")
    return builder.build()
