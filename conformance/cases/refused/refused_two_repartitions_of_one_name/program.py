"""Two repartitions cannot have the same name."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.repartition(Repartitioned(name="same")).to("out")
    stream.repartition(Repartitioned(name="same")).to("out")
    return builder.build()
