"""A pair has the later of its two times, whichever side comes last."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(1000, grace=0)
    left.join(right, pair, windows).to("out")
    return builder.build()
