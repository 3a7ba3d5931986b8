"""A name must not hold letters other than a to z."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").filter(lambda key, value: True, named="größe").to("out")
    return builder.build()
