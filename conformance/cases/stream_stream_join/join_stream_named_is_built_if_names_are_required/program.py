"""With required names, a join whose nodes and stores have names is built."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value)
    right: KStream[str, str] = builder.stream("right")
    left.outer_join(
        right,
        pair,
        JoinWindows.of_time_difference(10),
        StreamJoined(name="join", store_name="kept"),
    ).to("out")
    return builder.build({"ensure.explicit.internal.resource.naming": True})
