"""A name must not hold a slash."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").filter(lambda key, value: True, named="my/name").to("out")
    return builder.build()
