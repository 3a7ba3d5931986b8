"""A global table in a cache, left."""

from collections.abc import Callable

from penstock import GlobalKTable, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10_000_000}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: GlobalKTable[str, str] = builder.global_table("right")
    left.left_join(right, lambda key, value: key, pair).to("out")
    return builder.build()
