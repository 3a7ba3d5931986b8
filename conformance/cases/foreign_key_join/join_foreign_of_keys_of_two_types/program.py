"""The foreign key and the key of the left table may have different types."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left", Consumed(key=serdes.integer(), value=serdes.string()))
    right = builder.table("right")
    left.left_join(right, foreign_key, joined).to_stream().to("out")
    return builder.build()
