"""A joiner or a selector that raises loses its record, with a handler that goes on."""

from collections.abc import Callable

from penstock import GlobalKTable, KStream, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def selected(key: str, value: str) -> str:
        if value == "bad":
            raise ValueError(value)
        return key

    def joined(left: str, right: str) -> str:
        if right == "bad":
            raise ValueError(right)
        return left + right

    left: KStream[str, str] = builder.stream("left")
    right: GlobalKTable[str, str] = builder.global_table("right")
    left.join(right, selected, joined).to("out")
    return builder.build()
