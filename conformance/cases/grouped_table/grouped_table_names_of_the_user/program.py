"""A named aggregation names its sink and its source too, the topic is named by the store."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    groups = table.group_by(lambda key, value: (value, key))
    groups.count(named="counting").to_stream().to("counts")
    groups.reduce(
        lambda total, value: value,
        lambda total, value: total,
        Materialized("kept"),
        named="reducing",
    ).to_stream().to("reduced")
    groups.aggregate(
        lambda: "",
        lambda key, value, total: value,
        lambda key, value, total: total,
        Materialized("folded"),
        named="folding",
    ).to_stream().to("aggregated")
    return builder.build()
