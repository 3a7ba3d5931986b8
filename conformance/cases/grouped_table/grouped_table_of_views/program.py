"""Old values come to a grouping through views that have no store."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in").filter(lambda key, value: value != "skip").map_values(str.upper)
    table.group_by(lambda key, value: (value, key)).count(Materialized("counts")).to_stream().to(
        "out"
    )
    return builder.build()
