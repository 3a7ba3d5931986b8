"""A dead letter of what was held back, after its record was sent on by another way."""

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
    table = builder.table("in")
    held = table.suppress(Suppressed.until_time_limit(2))
    table.to_stream().to("raw")
    held.to_stream().to("out")
    held.map_values(picky).to_stream().to("picked")
    return builder.build()
