"""Two unnamed joins of one rekeyed stream share its topic, though the numbers of a second one
are used up.
"""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value[0])
    right: KStream[str, str] = builder.stream("right")
    third: KStream[str, str] = builder.stream("third")
    windows = JoinWindows.of_time_difference(10)
    left.join(right, pair, windows).to("out")
    left.left_join(third, pair, windows).to("out2")
    right.join(left, pair, windows).to("out3")
    return builder.build()
