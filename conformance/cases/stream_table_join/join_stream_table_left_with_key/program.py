"""The joiner of a left join with a table may look at the key."""

from collections.abc import Callable

from penstock import KStream, KTable, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table("right")
    left.left_join_with_key(right, lambda key, left, right: f"{key}:{left}+{right}".lower()).to(
        "out"
    )
    return builder.build()
