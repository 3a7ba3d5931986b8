"""A left join by what the selector makes of the record: null keys of the stream do not matter,
null join keys do.
"""

from collections.abc import Callable

from penstock import GlobalKTable, KStream, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: GlobalKTable[str, str] = builder.global_table("right")
    left.left_join(
        right, lambda key, value: None if value is None or value == "nokey" else value, pair
    ).to("out")
    return builder.build()
