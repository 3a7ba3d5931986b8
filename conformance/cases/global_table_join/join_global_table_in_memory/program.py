"""A global table: in memory."""

from collections.abc import Callable

from penstock import GlobalKTable, KStream, Materialized, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: GlobalKTable[str, str] = builder.global_table(
        "right", materialized=Materialized("rows", store="in_memory")
    )
    left.left_join(right, lambda key, value: key, pair).to("out")
    return builder.build()
