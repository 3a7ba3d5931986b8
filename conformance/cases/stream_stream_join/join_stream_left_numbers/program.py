"""The numbers that a left join between two streams uses up."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10)
    joined = left.left_join(right, pair, windows)
    joined.map_values(str.upper).to("out")
    joined.left_join(left, pair, windows, StreamJoined(name="again")).to("again")
    return builder.build()
