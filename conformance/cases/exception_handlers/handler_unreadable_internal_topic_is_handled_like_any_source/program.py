"""A record of a repartition topic that cannot be read meets the deserialization handler."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology
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
    builder.stream("in").repartition(Repartitioned(name="again", value=Picky())).to("out")
    return builder.build()
