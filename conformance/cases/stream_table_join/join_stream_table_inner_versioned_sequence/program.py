"""All 23 steps of a stream and a versioned table, inner: rows are looked up as of the record's
time.
"""

from collections.abc import Callable

from penstock import KStream, KTable, Materialized, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table(
        "right", materialized=Materialized("rows", history_retention=600_000)
    )
    left.join(right, pair).to("out")
    return builder.build()
