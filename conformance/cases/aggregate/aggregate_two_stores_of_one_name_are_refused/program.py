"""Two aggregations must not keep their results in one store."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.count(Materialized("counts"))
    grouped.count(Materialized("counts"))
    return builder.build()
