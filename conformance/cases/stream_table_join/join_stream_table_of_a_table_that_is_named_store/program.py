"""A left join with a table that is named store."""

from collections.abc import Callable

from penstock import KStream, KTable, Materialized, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table("right", materialized=Materialized("rows"))
    left.left_join(right, pair).to("out")
    return builder.build()
