"""A grace longer than the table's history is refused."""

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
    left.join(right, pair, Joined(grace=600_001)).to("out")
    return builder.build()
