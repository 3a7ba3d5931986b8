"""The joiner of a left join with a global table may look at the stream's key, not at the join
key.
"""

from collections.abc import Callable

from penstock import GlobalKTable, KStream, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: GlobalKTable[str, str] = builder.global_table("right")
    left.left_join_with_key(
        right,
        lambda key, value: None if value is None or value == "nokey" else value,
        lambda key, left, right: f"{key}:{left}+{right}".lower(),
    ).to("out")
    return builder.build()
