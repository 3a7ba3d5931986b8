"""An aggregate of a stream may be kept in a versioned store."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    totals = (
        builder.stream("in")
        .group_by_key()
        .reduce(lambda total, value: total + value, Materialized("kept", history_retention=60_000))
    )
    totals.to_stream().to("out")
    totals.filter(lambda key, value: value not in ("xy", 2)).to_stream().to("below")
    return builder.build()
