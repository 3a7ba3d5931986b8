"""The result has this table's key serde and the value serde it is given."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology, serdes


def total_of(left: int | None, right: int | None) -> int:
    return (left or 0) + (right or 0)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    numbers = Consumed(key=serdes.integer(), value=serdes.long())
    left, right = builder.table("left", numbers), builder.table("right", numbers)
    total = left.outer_join(right, total_of, Materialized("totals", value=serdes.long()))
    total.filter(lambda key, value: value != 5).to_stream().to("out")
    return builder.build()
