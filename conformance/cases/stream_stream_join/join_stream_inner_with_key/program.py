"""The joiner of a inner join may look at the key, which may be null where records without a key
are joined.
"""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10)
    left.join_with_key(right, lambda key, left, right: f"{key}:{left}+{right}".lower(), windows).to(
        "out"
    )
    return builder.build()
