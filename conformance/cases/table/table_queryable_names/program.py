"""Only a store that was given a name can be queried by it."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in")
    views = [
        table,
        table.filter(lambda key, value: True),
        table.filter(lambda key, value: True, Materialized("kept")),
        table.filter_not(lambda key, value: True, Materialized()),
        table.map_values(str, Materialized("mapped")),
        table.join(table, lambda one, other: one),
        table.join(table, lambda one, other: one, Materialized()),
        table.join(table, lambda one, other: one, Materialized("joined")),
        table.group_by(lambda key, value: (key, value)).count(),
        table.group_by(lambda key, value: (key, value)).count(Materialized("counts")),
        table.suppress(Suppressed.until_time_limit(1, name="held")),
        builder.table("other", materialized=Materialized[str, str]("rows")),
        builder.stream("third").to_table(),
        builder.stream("fourth").to_table(Materialized("fourths")),
    ]
    for view in views:
        log(str(view.queryable_store_name))
    return builder.build()
