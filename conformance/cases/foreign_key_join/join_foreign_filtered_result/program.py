"""A filter of the result takes old values from it, so that it is kept in a store."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left")
    right = builder.table("right")
    results = left.join(right, foreign_key, joined, materialized=Materialized("results"))
    results.filter(lambda key, value: "w" in value).to_stream().to("out")
    return builder.build()
