"""Two explicit repartitions with the same count are joined."""

from collections.abc import Callable

from penstock import JoinWindows, Repartitioned, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").repartition(Repartitioned("l", partitions=2))
    right = builder.stream("right").repartition(Repartitioned("r", partitions=2))
    left.left_join(right, pair, JoinWindows.of_time_difference(10)).to("out")
    return builder.build()
