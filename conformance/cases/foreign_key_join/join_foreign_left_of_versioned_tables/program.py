"""Rows of versioned tables that are older than what is there are dropped and counted."""

from collections.abc import Callable
from typing import Any

from penstock import KTable, Materialized, StreamsBuilder, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KTable[Any, Any] = builder.table(
        "left", materialized=Materialized("left-rows", history_retention=3_600_000)
    )
    right: KTable[Any, Any] = builder.table(
        "right", materialized=Materialized("right-rows", history_retention=3_600_000)
    )
    left.left_join(right, foreign_key, joined).to_stream().to("out")
    return builder.build()
