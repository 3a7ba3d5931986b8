"""LogAndContinue drops a record whose key or value cannot be read, and counts it."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueExceptionHandler
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, data: bytes) -> str:
        if data == b"unreadable":
            raise ValueError("cannot read this")
        return data.decode()


CONFIG: dict[str, object] = {"deserialization.exception.handler": LogAndContinueExceptionHandler}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(key=Picky(), value=Picky())).to("out")
    return builder.build()
