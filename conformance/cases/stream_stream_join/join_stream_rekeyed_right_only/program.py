"""Only the rekeyed side goes through a topic; StreamJoined names it and its store name does not."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right = builder.stream("right").map(lambda key, value: (value[0], value))
    windows = JoinWindows.of_time_difference(10)
    left.left_join(right, pair, windows, StreamJoined(name="pairs", store_name="kept")).to("out")
    return builder.build()
