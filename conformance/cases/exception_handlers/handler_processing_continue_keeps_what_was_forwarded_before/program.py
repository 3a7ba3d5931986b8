"""What a verb forwarded before it failed stays forwarded."""

from collections.abc import Callable, Iterable

from penstock import StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def letters(value: str) -> Iterable[str]:
    for letter in value:
        if letter == "!":
            raise ValueError("no letter")
        yield letter


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").flat_map_values(letters).to("out")
    return builder.build()
