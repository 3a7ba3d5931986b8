"""A Materialized without a name says only which serdes the result has."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, serdes


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left")
    right = builder.table("right")
    results = left.join(
        right,
        foreign_key,
        lambda left, right: len(left + right),
        materialized=Materialized(value=serdes.integer()),
    )
    log(str(results.queryable_store_name))
    results.to_stream().to("out")
    return builder.build()
