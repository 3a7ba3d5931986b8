"""With `dsl.store.format=HEADERS` verbs forward headers as ever and keep none: the changelog has
none of what is put, and those of the record in hand for what is deleted.
"""

from collections.abc import Callable

from penstock import KTable, Materialized, StreamsBuilder, Topology

CONFIG = {"dsl.store.format": "HEADERS"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows: KTable[str, str] = builder.table("rows", materialized=Materialized("source"))
    rows.filter(lambda key, value: value != "no", materialized=Materialized("kept")).to_stream().to(
        "kept"
    )
    rows.map_values(lambda value: value + "!", materialized=Materialized("mapped")).to_stream().to(
        "mapped"
    )
    grouped = builder.stream("in").group_by_key()
    grouped.reduce(lambda one, other: one + other, Materialized("reduced")).to_stream().to(
        "reduced"
    )
    grouped.aggregate(
        str, lambda key, value, sum: None if value == "gone" else sum + value, Materialized("sums")
    ).to_stream().to("sums")
    rows.group_by(lambda key, value: (value, key)).reduce(
        lambda one, other: one + other,
        lambda one, other: one.replace(other, ""),
        materialized=Materialized("regrouped"),
    ).to_stream().to("regrouped")
    return builder.build()
