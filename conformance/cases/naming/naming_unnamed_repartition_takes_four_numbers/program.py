"""An unnamed repartition() uses up four numbers, a named one three."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .repartition()
        .map_values(lambda value: value)
        .repartition(Repartitioned(name="mine"))
        .map_values(lambda value: value)
        .to("out")
    )
    return builder.build()
