"""A map that gives null instead of a pair fails."""

from collections.abc import Callable
from typing import Any

from penstock import StreamsBuilder, Topology


def pair_or_nothing(key: str | None, value: str | None) -> Any:
    return (key, value) if value is not None else None


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map(pair_or_nothing).to("out")
    return builder.build()
