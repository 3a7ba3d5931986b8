"""With a record cache a inner join sees rows that are still in the cache."""

from collections.abc import Callable

from penstock import KStream, KTable, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10_000_000}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table("right")
    left.join(right, pair).to("out")
    return builder.build()
