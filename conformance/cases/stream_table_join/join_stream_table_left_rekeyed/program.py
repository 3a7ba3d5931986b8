"""A rekeyed stream goes through a topic before a left join with a table; records without a key
only where the join takes them.
"""

from collections.abc import Callable

from penstock import KTable, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: key and key[0])
    right: KTable[str, str] = builder.table("right")
    left.left_join(right, pair).to("out")
    return builder.build()
