"""A view may be kept in a versioned store though the table above is not versioned."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    kept = table.filter(
        lambda key, value: value != "c", Materialized("kept", history_retention=60_000)
    )
    kept.to_stream().to("out")
    kept.filter(lambda key, value: value != "d").to_stream().to("below")
    shouts = table.map_values(str.upper, Materialized("shouts", history_retention=60_000))
    shouts.to_stream().to("shouts")
    shouts.group_by(lambda key, value: (value, key)).count().to_stream().to("counts")
    return builder.build()
