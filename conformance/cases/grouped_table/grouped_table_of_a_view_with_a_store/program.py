"""A view with a store knows the old values itself."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in").map_values(str.upper, Materialized("shouts"))
    table.group_by(lambda key, value: (value, key)).count(Materialized("counts")).to_stream().to(
        "out"
    )
    return builder.build()
