"""A production handler may drop a record whose key or value cannot be written; it is counted."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology
from penstock.handlers import ErrorHandlerContext, Response
from penstock.record import ProducerRecord
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
        return Response.resume()


CONFIG: dict[str, object] = {"production.exception.handler": Resume}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.to("out", Produced(key=Picky(), value=Picky()))
    stream.to("plain")
    return builder.build()
