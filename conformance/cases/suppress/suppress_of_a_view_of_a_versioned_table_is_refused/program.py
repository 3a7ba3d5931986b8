"""A view of a versioned table cannot be held back either."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows = builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    )
    rows.map_values(str.upper).suppress(Suppressed.until_time_limit(5)).to_stream().to("out")
    return builder.build()
