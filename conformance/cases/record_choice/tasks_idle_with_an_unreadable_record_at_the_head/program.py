"""A record that cannot be read still stands for its topic until it is its turn."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes
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
    "max.task.idle.ms": 100,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["left", "right"], Consumed(key=serdes.string(), value=Picky())).to("out")
    return builder.build()
