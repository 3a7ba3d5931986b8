"""A joiner may give None; the record goes on with no value."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    left.left_join(
        right,
        lambda left, right: None if right is None else left,
        JoinWindows.of_time_difference(5),
    ).to("out")
    return builder.build()
