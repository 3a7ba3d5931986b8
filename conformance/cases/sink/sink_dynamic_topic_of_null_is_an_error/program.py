"""A topic function must give a topic."""

from collections.abc import Callable
from typing import Any

from penstock import StreamsBuilder, Topology
from penstock.record import RecordContext


def topic(key: str, value: str, context: RecordContext) -> Any:
    return value


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to(topic)
    return builder.build()
