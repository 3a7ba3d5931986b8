"""A name is that of the merge; the sides' names have a suffix; numbers are used up all the same."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.join(right, joined, named="inner").to_stream().to("inner")
    left.left_join(right, joined, Materialized("kept"), named="lefts").to_stream().to("left-out")
    left.outer_join(right, joined, named="outers").to_stream().to("outer")
    return builder.build()
