"""Of a versioned table only the latest rows are in the groups."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    )
    table.group_by(lambda key, value: (value, key)).count().to_stream().to("out")
    table.map_values(lambda value: value + "!").group_by(
        lambda key, value: (value, key)
    ).count().to_stream().to("mapped")
    return builder.build()
