"""Serdes that nobody gave are the default ones, everywhere."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {"default.key.serde": serdes.integer()}


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left")
    right = builder.table("right")
    results = left.join(
        right,
        lambda value: int(value.partition("|")[2]),
        joined,
        materialized=Materialized("results"),
    )
    results.to_stream().to("out")
    return builder.build()
