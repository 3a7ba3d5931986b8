"""Grouping takes a number, an aggregation four: its store, the sink, the source, itself."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    groups = table.group_by(lambda key, value: (value, key))
    groups.count().to_stream().to("counts")
    groups.reduce(lambda total, value: value, lambda total, value: total).to_stream().to("reduced")
    groups.aggregate(
        lambda: "", lambda key, value, total: value, lambda key, value, total: total
    ).to_stream().to("aggregated")
    groups.count(Materialized()).to_stream().to("counted-again")
    return builder.build()
