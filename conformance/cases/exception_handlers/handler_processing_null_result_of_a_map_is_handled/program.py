"""A map that gives null fails inside its node, so the handler may go on."""

from collections.abc import Callable
from typing import Any

from penstock import StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def pair_or_nothing(key: str | None, value: str | None) -> Any:
    return (key, value) if value is not None else None


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map(pair_or_nothing).to("out")
    return builder.build()
