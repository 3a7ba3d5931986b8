"""An inner join in a window from 100 before to 0 after."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10, grace=5, before=100, after=0)
    left.join(right, pair, windows).to("out")
    return builder.build()
