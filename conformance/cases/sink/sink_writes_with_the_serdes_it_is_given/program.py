"""Produced serdes write numbers as Kafka does: big-endian, nulls as null."""

from collections.abc import Callable
from typing import Any

from penstock import Produced, StreamsBuilder, Topology, serdes


def parse(key: str, value: str | None) -> tuple[int, Any]:
    return int(key), None if value is None else len(value)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map(parse).to("out", Produced(key=serdes.integer(), value=serdes.long()))
    return builder.build()
