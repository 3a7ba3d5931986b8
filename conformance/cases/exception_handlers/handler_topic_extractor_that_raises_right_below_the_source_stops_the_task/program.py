"""A source has no handler either: a sink right below it that fails stops the task."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler
from penstock.record import RecordContext


def extractor(key: str, value: str, context: RecordContext) -> str:
    if value == "bad":
        raise ValueError("no topic")
    return "out"


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to(extractor)
    return builder.build()
