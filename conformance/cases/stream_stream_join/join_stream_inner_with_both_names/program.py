"""Both names of a inner join."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10, grace=5)
    left.join(right, pair, windows, StreamJoined(name="join", store_name="kept")).to("out")
    return builder.build()
