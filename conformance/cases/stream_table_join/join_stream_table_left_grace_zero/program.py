"""A grace of 0 joins at once, in the order of time, in a left join."""

from collections.abc import Callable

from penstock import Joined, KStream, KTable, Materialized, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table(
        "right", materialized=Materialized("rows", history_retention=600_000)
    )
    left.left_join(right, pair, Joined(grace=0)).to("out")
    return builder.build()
