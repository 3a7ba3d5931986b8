"""A handler that fails writes its dead letter too; the driver shows nothing of a failed step."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes
from penstock.handlers import LogAndFailExceptionHandler
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, data: bytes) -> str:
        if data == b"unreadable":
            raise ValueError("cannot read this")
        return data.decode()


CONFIG: dict[str, object] = {
    "deserialization.exception.handler": LogAndFailExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(key=serdes.string(), value=Picky())).to("out")
    return builder.build()
