"""A dead letter below a join, with old values and without."""

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
    both = left.left_join(right, lambda one, other: f"{one}{other}")
    both.to_stream().to("both")
    both.map_values(picky).to_stream().to("out")
    third = left.outer_join(right, lambda one, other: f"{one}{other}")
    third.to_stream().to("third")
    third.map_values(picky).filter(lambda key, value: True).to_stream().to("kept")
    return builder.build()
