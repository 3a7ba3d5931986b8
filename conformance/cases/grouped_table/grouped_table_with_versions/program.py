"""The aggregates of a grouped table may be kept in a versioned store."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in").group_by(lambda key, value: (value, key))
    groups.count(Materialized("counts", history_retention=60_000)).filter(
        lambda value, count: count != 2
    ).to_stream().to("out")
    groups.reduce(
        lambda total, value: total + value,
        lambda total, value: total.replace(value, "", 1),
        Materialized("sums", history_retention=60_000),
    ).to_stream().to("sums")
    return builder.build()
