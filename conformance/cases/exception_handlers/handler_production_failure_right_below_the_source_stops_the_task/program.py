"""A failed write right below the source meets no processing handler and stops the task."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        if value == "unwritable":
            raise ValueError("cannot write this")
        return value.encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("out", Produced(value=Picky()))
    return builder.build()
