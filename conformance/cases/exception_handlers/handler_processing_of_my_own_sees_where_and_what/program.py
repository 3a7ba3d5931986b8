"""A handler sees the failing node, the task, the place of the input and the failing record."""

from collections.abc import Callable
from typing import Any

from penstock import Record, StreamsBuilder, Topology
from penstock.handlers import DeadLetterRecord, ErrorHandlerContext, Response


def fail_on_bad(value: str) -> str:
    if value == "bad":
        raise ValueError("this is bad")
    return value + "!"


class Tell:
    def handle_error(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        place = f"{context.processor_node_id} {context.task_id} {context.topic} {context.offset}"
        assert record is not None
        what = f"{record.key} {record.value} {exception}"
        return Response.resume(
            [
                DeadLetterRecord("places", context.source_raw_key, place.encode(), 1),
                DeadLetterRecord("reasons", context.source_raw_value, what.encode(), 0),
            ]
        )


CONFIG: dict[str, object] = {"processing.exception.handler": Tell}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").map(lambda key, value: (key + "1", value))
    stream.map_values(fail_on_bad, named="strict").to("out")
    return builder.build()
