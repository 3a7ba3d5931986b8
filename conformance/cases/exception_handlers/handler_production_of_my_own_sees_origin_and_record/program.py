"""A production handler is told whether key or value failed; the key is written first."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology
from penstock.handlers import DeadLetterRecord, ErrorHandlerContext, Response
from penstock.record import ProducerRecord
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        if value == "unwritable":
            raise ValueError("cannot write this")
        return value.encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


class Tell:
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
        place = f"{context.processor_node_id} {context.topic} {context.offset}"
        what = f"{origin.lower()} {record.topic} {record.key} {record.value} {exception}"
        return Response.resume(
            [
                DeadLetterRecord("places", context.source_raw_key, place.encode(), 1),
                DeadLetterRecord("reasons", None, what.encode(), context.timestamp),
            ]
        )


CONFIG: dict[str, object] = {"production.exception.handler": Tell}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").map_values(lambda value: value[1:])
    stream.to("out", Produced(key=Picky(), value=Picky(), name="sink"))
    return builder.build()
