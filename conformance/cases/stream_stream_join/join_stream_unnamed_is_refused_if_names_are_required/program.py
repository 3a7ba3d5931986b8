"""With required names, a join whose stores have none is refused."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    left.join(right, pair, JoinWindows.of_time_difference(10), StreamJoined(name="join")).to("out")
    return builder.build({"ensure.explicit.internal.resource.naming": True})
