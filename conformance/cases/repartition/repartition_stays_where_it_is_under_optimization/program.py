"""An explicit repartition is neither merged nor moved by topology.optimization=all."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    mapped = builder.stream("in").select_key(lambda key, value: value)
    mapped.repartition(Repartitioned(name="one")).to("out")
    mapped.map_values(lambda value: value + "2").repartition(Repartitioned(name="two")).to("out")
    return builder.build({"topology.optimization": "all"})
