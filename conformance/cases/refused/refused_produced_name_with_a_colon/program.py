"""The name of a sink is checked like any other."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("out", Produced(name="my:sink"))
    return builder.build()
