"""A partitioner's exception is handled by the node above the sink."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def partitioner(topic: str, key: str, value: str, partitions: int) -> int:
    if value == "bad":
        raise ValueError("no partition")
    return 0


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").peek(lambda key, value: None)
    stream.to("out", Produced(partitioner=partitioner))
    return builder.build()
