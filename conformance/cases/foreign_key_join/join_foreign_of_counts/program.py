"""Aggregates are tables like any other, on both sides."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    counts = builder.stream("words").group_by_key().count(Materialized("counts"))
    latest = (
        builder.stream("words")
        .group_by(lambda key, value: value)
        .reduce(lambda aggregate, value: aggregate + value)
    )
    counts.left_join(
        latest,
        lambda count: "x" * count,
        lambda count, text: f"{count} {'null' if text is None else text}",
    ).to_stream().to("out")
    return builder.build()
