"""A handler that raises itself stops the task."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes
from penstock.handlers import ErrorHandlerContext, Response
from penstock.record import ConsumerRecord
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, data: bytes) -> str:
        if data == b"unreadable":
            raise ValueError("cannot read this")
        return data.decode()


class Raise:
    def handle_error(
        self, context: ErrorHandlerContext, record: ConsumerRecord, exception: Exception
    ) -> Response:
        raise RuntimeError("not my day")


CONFIG: dict[str, object] = {"deserialization.exception.handler": Raise}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(key=serdes.string(), value=Picky())).to("out")
    return builder.build()
