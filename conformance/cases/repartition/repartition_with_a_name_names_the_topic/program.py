"""The name of a repartition is the name of its topic and of its three nodes."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").repartition(Repartitioned(name="by-key")).to("out")
    return builder.build()
