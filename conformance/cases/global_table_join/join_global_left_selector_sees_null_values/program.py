"""The selector of a left join is asked even about a record without a value, which is dropped
then.
"""

from collections.abc import Callable

from penstock import GlobalKTable, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: GlobalKTable[str, str] = builder.global_table("right")
    left.left_join(right, lambda key, value: value or "none", pair).to("out")
    return builder.build()
