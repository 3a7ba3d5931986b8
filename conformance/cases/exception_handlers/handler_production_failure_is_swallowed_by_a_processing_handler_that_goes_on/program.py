"""A failed write is an exception of the node above the sink, whose processing handler may go on."""

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
    stream = builder.stream("in").peek(lambda key, value: log(value))
    stream.to("picky", Produced(value=Picky()))
    stream.to("plain")
    return builder.build()
