"""Once the input has produced a record, a later dead letter has neither key nor value."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def fail_on_bad(value: str) -> str:
    if value == "bad":
        raise ValueError("this is bad")
    return value + "!"


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.map_values(fail_on_bad).to("out")
    stream.to("between")
    stream.map_values(fail_on_bad).to("out")
    return builder.build()
