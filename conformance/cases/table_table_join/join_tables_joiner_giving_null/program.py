"""A joiner that gives None deletes the row of the result."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def same(left: str | None, right: str | None) -> str | None:
    return left if left == right else None


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.join(right, same, Materialized("joined")).filter(lambda key, value: True).to_stream().to(
        "out"
    )
    left.outer_join(right, same).to_stream().to("outer")
    return builder.build()
