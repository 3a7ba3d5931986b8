"""Two changes of a left row before the first answer has come: that answer no longer fits the
row and is dropped.
"""

from collections.abc import Callable
from typing import Any

from penstock import KTable, StreamsBuilder, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    changes = builder.stream("changes")
    left: KTable[Any, Any] = changes.flat_map_values(
        lambda value: [row or None for row in value.split(",")]
    ).to_table()
    right = builder.table("right")
    left.join(right, foreign_key, joined).to_stream().to("out")
    return builder.build()
