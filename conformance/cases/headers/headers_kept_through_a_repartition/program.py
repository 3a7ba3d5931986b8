"""Headers are written to the internal topic and read from it again."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .select_key(lambda key, value: value)
        .repartition(Repartitioned(name="by-value"))
        .to("out")
    )
    return builder.build()
