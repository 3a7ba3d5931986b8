"""A joiner that raises loses its record, with a handler that goes on."""

from collections.abc import Callable

from penstock import KStream, KTable, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def joined(left: str, right: str) -> str:
        if right == "bad":
            raise ValueError(right)
        return left + right

    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table("right")
    left.join(right, joined).to("out")
    return builder.build()
