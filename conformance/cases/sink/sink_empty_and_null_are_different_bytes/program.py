"""A null key or value is written as null, an empty string as no bytes."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return builder.build()
