"""A flat_map that gives null instead of a list fails."""

from collections.abc import Callable
from typing import Any

from penstock import StreamsBuilder, Topology


def list_or_nothing(key: str, value: str) -> Any:
    return [(key, value)] if value != "bad" else None


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").flat_map(list_or_nothing).to("out")
    return builder.build()
