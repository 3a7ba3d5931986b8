"""A join with a store is looked up in it."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right, third = builder.table("left"), builder.table("right"), builder.table("third")
    pairs = left.outer_join(right, joined, Materialized("pairs"))
    pairs.outer_join(third, joined, Materialized("triples")).to_stream().to("out")
    return builder.build()
