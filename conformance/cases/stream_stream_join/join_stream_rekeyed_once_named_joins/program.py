"""Named joins of one rekeyed stream have a topic each; an unnamed one between them has its own."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value[0])
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10)
    left.join(right, pair, windows, StreamJoined(name="one")).to("one")
    left.join(right, pair, windows).to("two")
    left.join(right, pair, windows, StreamJoined(name="three")).to("three")
    left.join(right, pair, windows).to("four")
    return builder.build()
