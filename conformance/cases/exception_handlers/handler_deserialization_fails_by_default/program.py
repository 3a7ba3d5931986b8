"""A record whose value cannot be read stops the task."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, data: bytes) -> str:
        if data == b"unreadable":
            raise ValueError("cannot read this")
        return data.decode()


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(key=serdes.string(), value=Picky())).to("out")
    return builder.build()
