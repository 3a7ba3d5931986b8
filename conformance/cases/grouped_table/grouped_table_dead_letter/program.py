"""A dead letter of a grouped table: of the mapper it has the record's bytes, of the adder the
topic's.
"""

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
    groups = builder.table("in").group_by(
        lambda key, value: ("g", picky(value) if key != "z" else value)
    )
    groups.reduce(
        lambda total, value: picky(total + value), lambda total, value: total
    ).to_stream().to("out")
    return builder.build()
