"""A rekeyed stream needs no topic before a join with a global table, but one after it, where
keys meet.
"""

from collections.abc import Callable

from penstock import GlobalKTable, Materialized, Produced, StreamsBuilder, Topology, serdes


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: value)
    right: GlobalKTable[str, str] = builder.global_table("right")
    joined = left.left_join(right, lambda key, value: key, pair)
    joined.to("out")
    joined.group_by_key().count(Materialized("counts")).to_stream().to(
        "counts", Produced(value=serdes.long())
    )
    return builder.build()
