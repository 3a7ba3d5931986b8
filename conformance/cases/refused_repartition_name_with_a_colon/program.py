"""The name of a repartition is checked like any other."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").repartition(Repartitioned(name="my:topic")).to("out")
    return builder.build()
