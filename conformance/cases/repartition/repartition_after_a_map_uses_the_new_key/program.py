"""The internal topic holds the new key; the record keeps its timestamp."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .map(lambda key, value: (value, key))
        .repartition(Repartitioned(name="swapped"))
        .map_values_with_key(lambda key, value: key + (value or "-"))
        .to("out")
    )
    return builder.build()
