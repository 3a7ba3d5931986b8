"""A left join with a table that is source is given a store."""

from collections.abc import Callable

from penstock import KStream, KTable, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table("right")
    left.left_join(right, pair).to("out")
    return builder.build()
