"""A inner join of two rekeyed streams goes through two topics; records without a key do so only
where a join below takes them.
"""

from collections.abc import Callable

from penstock import JoinWindows, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: key and key[0])
    right = builder.stream("right").select_key(lambda key, value: key and key[0])
    windows = JoinWindows.of_time_difference(10, grace=5)
    left.join(right, pair, windows).to("out")
    return builder.build()
