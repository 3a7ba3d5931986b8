"""The dead letter of a skipped record has its bytes, its headers and what went wrong."""

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


CONFIG: dict[str, object] = {
    "deserialization.exception.handler": LogAndContinueExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(key=Picky(), value=Picky())).to("out")
    return builder.build()
