"""Joined names the node of a left join and the topic before it."""

from collections.abc import Callable

from penstock import Joined, KTable, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.stream("left").select_key(lambda key, value: key[0])
    right: KTable[str, str] = builder.table("right")
    left.left_join(right, pair, Joined("enriched")).to("out")
    return builder.build()
