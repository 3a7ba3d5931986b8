"""A value that its serde cannot write stops the task."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        if value == "unwritable":
            raise ValueError("cannot write this")
        return value.encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("out", Produced(value=Picky()))
    return builder.build()
