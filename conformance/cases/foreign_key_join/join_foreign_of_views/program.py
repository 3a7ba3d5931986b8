"""Views without a store of their own are looked up through the tables below."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left").filter(lambda key, value: not value.startswith("skip"))
    right = builder.table("right").filter_not(lambda key, value: value == "skip")
    shouts = right.map_values(str.upper)
    left.left_join(shouts, foreign_key, joined).to_stream().to("out")
    return builder.build()
