"""A table that goes through a repartition topic is joined behind it."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = (
        builder.stream("in")
        .map(lambda key, value: (value.partition(":")[0], value.partition(":")[2]))
        .to_table()
    )
    right = builder.table("right")
    left.join(right, foreign_key, joined).to_stream().to("out")
    return builder.build()
