"""Two repartitions of one stream are two topics and two sub-topologies."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.repartition(Repartitioned(name="one")).to("out")
    stream.repartition(Repartitioned(name="two")).map_values(lambda value: value + "2").to("out")
    return builder.build()
