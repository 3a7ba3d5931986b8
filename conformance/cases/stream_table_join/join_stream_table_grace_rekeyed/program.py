"""A rekeyed stream that waits: its topic, its buffer and the buffer's changelog."""

from collections.abc import Callable

from penstock import Joined, KTable, Materialized, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value[0])
    right: KTable[str, str] = builder.table(
        "right", materialized=Materialized("rows", history_retention=600_000)
    )
    left.join(right, pair, Joined("joined", grace=5)).to("out")
    left.join(right, pair, Joined(grace=1)).to("out2")
    return builder.build()
