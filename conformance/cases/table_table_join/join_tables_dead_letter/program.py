"""A dead letter of a join has the bytes of the record that caused it."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology
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
    left, right = builder.table("left"), builder.table("right")
    left.left_join(right, lambda one, other: picky(f"{one}{other}")).to_stream().to("out")
    return builder.build()
