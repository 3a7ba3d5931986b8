"""Each repartition starts a new sub-topology."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .select_key(lambda key, value: value[0])
        .repartition(Repartitioned(name="first"))
        .map_values(lambda value: value + "1")
        .select_key(lambda key, value: value[1])
        .repartition(Repartitioned(name="second"))
        .map_values(lambda value: value + "2")
        .repartition(Repartitioned(name="third"))
        .to("out")
    )
    return builder.build()
