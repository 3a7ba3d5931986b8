"""One stream joined with two tables, one table with two streams; the numbers."""

from collections.abc import Callable

from penstock import Joined, KStream, KTable, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one: KStream[str, str] = builder.stream("one")
    two: KStream[str, str] = builder.stream("two")
    first: KTable[str, str] = builder.table("first")
    second: KTable[str, str] = builder.table("second")
    one.join(first, pair).left_join(second, pair).to("out")
    two.left_join(first, pair).map_values(str.upper).join(second, pair, Joined("last")).to("out2")
    return builder.build()
