"""A global table: materialized without a name."""

from collections.abc import Callable

from penstock import GlobalKTable, KStream, Materialized, StreamsBuilder, Topology, serdes


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: GlobalKTable[str, str] = builder.global_table(
        "right", materialized=Materialized(key=serdes.string(), value=serdes.string())
    )
    left.left_join(right, lambda key, value: key, pair).to("out")
    return builder.build()
