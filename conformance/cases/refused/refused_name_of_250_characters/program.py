"""A name must not have more than 249 characters."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").filter(lambda key, value: True, named="n" * 250).to("out")
    return builder.build()
