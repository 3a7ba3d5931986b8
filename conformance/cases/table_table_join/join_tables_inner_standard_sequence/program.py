"""The inner join of two tables, step by step, with records out of order."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.join(right, joined).to_stream().to("out")
    return builder.build()
