"""One bad record of a flat_map is dropped, the ones before and after it go on; each counts."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def fail_on_bad(value: str) -> str:
    if value == "bad":
        raise ValueError("this is bad")
    return value + "!"


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(lambda value: value.split("-"))
    words.map_values(fail_on_bad).to("out")
    return builder.build()
