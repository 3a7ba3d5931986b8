"""The left join with the rows of another join, which are computed when they are looked up."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right, third = builder.table("left"), builder.table("right"), builder.table("third")
    pairs = left.left_join(right, joined)
    third.left_join(pairs, joined).to_stream().to("out")
    pairs.to_stream().to("pairs")
    return builder.build()
