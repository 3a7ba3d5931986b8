"""Aggregations drop and count records without a key or a value."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    grouped.count(Materialized("counts")).to_stream().to("counts")
    grouped.reduce(lambda aggregate, value: aggregate + value).to_stream().to("sums")
    return builder.build()
