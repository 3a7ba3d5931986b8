"""The stream of a table has its key: it can be aggregated where it is."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    counts = builder.stream("in").group_by_key().count(Materialized("counts"))
    totals = (
        counts.to_stream()
        .group_by_key()
        .reduce(lambda total, count: total + count, Materialized("totals"))
    )
    totals.to_stream().to("out")
    return builder.build()
