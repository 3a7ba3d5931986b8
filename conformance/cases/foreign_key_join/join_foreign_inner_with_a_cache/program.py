"""With a cache, several changes of a row by one record become one."""

from collections.abc import Callable
from typing import Any

from penstock import KTable, Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 100_000}


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    changes = builder.stream("changes")
    left: KTable[Any, Any] = changes.flat_map_values(
        lambda value: [row or None for row in value.split(",")]
    ).to_table(Materialized("lefts"))
    right: KTable[Any, Any] = builder.table("right", materialized=Materialized("rights"))
    left.join(right, foreign_key, joined, materialized=Materialized("results")).to_stream().to(
        "out"
    )
    return builder.build()
