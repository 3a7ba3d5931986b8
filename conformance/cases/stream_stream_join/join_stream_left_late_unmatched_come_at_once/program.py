"""A record whose window is over already goes out of a left join at once without a match, grace
or not.
"""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10, grace=100)
    left.left_join(right, pair, windows).to("out")
    return builder.build()
