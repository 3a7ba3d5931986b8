"""Two joins must not keep their records under one name."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    left.join(right, pair, JoinWindows.of_time_difference(10), StreamJoined(store_name="kept")).to(
        "out"
    )
    left.join(right, pair, JoinWindows.of_time_difference(20), StreamJoined(store_name="kept")).to(
        "out2"
    )
    return builder.build()
