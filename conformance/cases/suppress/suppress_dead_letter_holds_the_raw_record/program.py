"""A dead letter of what was held back has the bytes of the record that changed it last."""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def picky(value: str) -> str:
    if "bad" in value:
        raise ValueError(value)
    return value + "!"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    held = builder.table("in").suppress(Suppressed.until_time_limit(2))
    held.map_values(picky).to_stream().to("out")
    return builder.build()
