"""A handler may write any records it likes; it sees the raw record and where it failed."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes
from penstock.handlers import DeadLetterRecord, ErrorHandlerContext, Response
from penstock.record import ConsumerRecord
from penstock.serdes import Serde


class Picky(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, data: bytes) -> str:
        if data == b"unreadable":
            raise ValueError("cannot read this")
        return data.decode()


class Tell:
    def handle_error(
        self, context: ErrorHandlerContext, record: ConsumerRecord, exception: Exception
    ) -> Response:
        place = f"{context.processor_node_id} {context.task_id} {context.topic} {context.offset}"
        return Response.resume(
            [
                DeadLetterRecord("places", record.key, place.encode(), context.timestamp),
                DeadLetterRecord("reasons", None, str(exception).encode(), record.timestamp + 1),
            ]
        )


CONFIG: dict[str, object] = {
    "deserialization.exception.handler": Tell,
    "errors.dead.letter.queue.topic.name": "unused",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(key=serdes.string(), value=Picky())).to("out")
    return builder.build()
