"""The stores of a join are never cached: with a record cache everything is as without."""

from collections.abc import Callable

from penstock import JoinWindows, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10_000_000}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KStream[str, str] = builder.stream("right")
    windows = JoinWindows.of_time_difference(10, grace=5)
    left.outer_join(right, pair, windows).to("out")
    return builder.build()
