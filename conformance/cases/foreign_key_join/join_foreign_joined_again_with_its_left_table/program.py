"""The result is joined with the left table once more, by their common key."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left")
    right = builder.table("right")
    results = left.join(right, foreign_key, joined)
    results.join(left, lambda result, row: f"again({result},{row})").to_stream().to("again")
    results.to_stream().to("out")
    return builder.build()
