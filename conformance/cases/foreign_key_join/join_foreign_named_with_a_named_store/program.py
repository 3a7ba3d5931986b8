"""With TableJoined and Materialized all has a name: it is built even if names are required."""

from collections.abc import Callable
from typing import Any

from penstock import KTable, Materialized, StreamsBuilder, TableJoined, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KTable[Any, Any] = builder.table("left", materialized=Materialized("lefts"))
    right: KTable[Any, Any] = builder.table("right", materialized=Materialized("rights"))
    results = left.join(
        right, foreign_key, joined, TableJoined(name="hop"), Materialized("results")
    )
    log(str(results.queryable_store_name))
    results.to_stream().to("out")
    return builder.build({"ensure.explicit.internal.resource.naming": "true"})
