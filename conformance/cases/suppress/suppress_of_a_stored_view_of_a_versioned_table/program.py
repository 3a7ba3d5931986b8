"""A view with a store of its own is not versioned."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows = builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    )
    rows.map_values(str.upper, Materialized("kept")).suppress(
        Suppressed.until_time_limit(2)
    ).to_stream().to("out")
    return builder.build()
