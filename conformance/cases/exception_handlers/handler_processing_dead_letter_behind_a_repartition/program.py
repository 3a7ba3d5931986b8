"""Behind a repartition the dead letter names the internal topic and holds its bytes."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology
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
    (
        builder.stream("in")
        .map(lambda key, value: (value, key))
        .repartition(Repartitioned(name="swapped"))
        .map_values(fail_on_bad)
        .to("out")
    )
    return builder.build()
