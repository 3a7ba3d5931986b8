"""A join takes a number for the merge, then for each side; a store without a name the first."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.join(right, joined).to_stream().to("inner")
    left.left_join(right, joined).to_stream().to("left-out")
    left.outer_join(right, joined).to_stream().to("outer")
    left.join(right, joined, Materialized()).to_stream().to("stored")
    return builder.build()
