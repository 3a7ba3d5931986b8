"""Only the rekeyed side goes through a topic; StreamJoined names it."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value[0])
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10)
    left.join(right, pair, windows, StreamJoined(name="pairs")).to("out")
    return builder.build()
