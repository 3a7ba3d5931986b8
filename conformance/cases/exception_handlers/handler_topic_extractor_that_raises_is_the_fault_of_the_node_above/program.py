"""A sink has no handler of its own: its extractor's exception is handled by the node above."""

from collections.abc import Callable
from typing import Any

from penstock import Record, StreamsBuilder, Topology
from penstock.handlers import DeadLetterRecord, ErrorHandlerContext, Response
from penstock.record import RecordContext


class Tell:
    def handle_error(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        place = f"{context.processor_node_id}: {exception}"
        return Response.resume([DeadLetterRecord("places", None, place.encode(), 0)])


def extractor(key: str, value: str, context: RecordContext) -> str:
    if value == "bad":
        raise ValueError("no topic")
    return "out"


CONFIG: dict[str, object] = {"processing.exception.handler": Tell}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").peek(lambda key, value: None, named="above").to(extractor)
    return builder.build()
