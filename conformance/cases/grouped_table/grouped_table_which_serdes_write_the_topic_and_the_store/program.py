"""The topic is written with the serdes of Grouped, the store with those of Materialized, or
Grouped's.
"""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.string(), value=serdes.long()))
    groups = table.group_by(
        lambda key, value: (value % 2, value), Grouped(key=serdes.long(), value=serdes.long())
    )
    groups.count().to_stream().to("counts")
    groups.reduce(
        lambda total, value: total + value, lambda total, value: total - value
    ).to_stream().to("sums")
    groups.aggregate(
        lambda: "",
        lambda key, value, total: f"{total}+{value}",
        lambda key, value, total: f"{total}-{value}",
        Materialized("texts", value=serdes.string()),
    ).to_stream().to("texts")
    groups.count(Materialized("again", key=serdes.long(), value=serdes.long())).to_stream().to(
        "again"
    )
    return builder.build()
