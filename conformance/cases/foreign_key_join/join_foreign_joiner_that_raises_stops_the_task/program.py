"""A joiner that raises stops the task, unless a handler goes on."""

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

    def failing(left: str, right: str) -> str:
        raise ValueError(left)

    left.join(right, foreign_key, failing).to_stream().to("out")
    return builder.build()
