"""A view with a Materialized that has no name is not versioned, though it has no store either."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    )
    view = table.map_values(str.upper, Materialized())
    view.group_by(lambda key, value: (value, key)).count().to_stream().to("counts")
    return builder.build()
