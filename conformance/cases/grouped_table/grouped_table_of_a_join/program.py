"""A join whose results are grouped sends its old values."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    both = left.left_join(right, lambda one, other: f"{one}{other}")
    both.group_by(lambda key, value: (value, key)).count().to_stream().to("out")
    return builder.build()
