"""The result of one foreign-key join is the left table of another."""

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
    third = builder.table("third")
    two = left.join(right, foreign_key, lambda left, right: left + right)
    three = two.join(third, lambda value: value.partition("/")[2], joined)
    three.to_stream().to("out")
    return builder.build()
