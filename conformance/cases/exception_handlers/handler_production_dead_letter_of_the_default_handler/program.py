"""The default production handler writes a dead letter with the raw input before it fails."""

from collections.abc import Callable
from typing import Any

from penstock import Produced, Record, StreamsBuilder, Topology
from penstock.handlers import ErrorHandlerContext, Response
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        if value == "unwritable":
            raise ValueError("cannot write this")
        return value.encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


class Resume:
    def handle_error(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        return Response.resume()


CONFIG: dict[str, object] = {
    "processing.exception.handler": Resume,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").map_values(lambda value: value[1:])
    stream.to("out", Produced(value=Picky()))
    return builder.build()
