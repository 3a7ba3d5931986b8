"""A production handler that raises stops the task; no processing handler is asked."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology
from penstock.handlers import (
    ErrorHandlerContext,
    LogAndContinueProcessingExceptionHandler,
    Response,
)
from penstock.record import ProducerRecord
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        if value == "unwritable":
            raise ValueError("cannot write this")
        return value.encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


class Raise:
    def handle_error(
        self, context: ErrorHandlerContext, record: ProducerRecord, exception: Exception
    ) -> Response:
        return Response.fail()

    def handle_serialization_error(
        self,
        context: ErrorHandlerContext,
        record: ProducerRecord,
        exception: Exception,
        origin: str,
    ) -> Response:
        raise RuntimeError("not my day")


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "production.exception.handler": Raise,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").peek(lambda key, value: log(value))
    stream.to("out", Produced(value=Picky()))
    return builder.build()
