"""What the program writes to the topic of a global table is in it before the next record."""

from collections.abc import Callable

from penstock import GlobalKTable, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    right: GlobalKTable[str, str] = builder.global_table("right")
    left: KStream[str, str] = builder.stream("left")
    left.left_join(right, lambda key, value: key, pair).to("out")
    left.map_values(str.lower).to("right")
    return builder.build()
