"""A processing handler that raises itself stops the task, however many handlers are above."""

from collections.abc import Callable
from typing import Any

from penstock import Record, StreamsBuilder, Topology
from penstock.handlers import ErrorHandlerContext, Response


def fail_on_bad(value: str) -> str:
    if value == "bad":
        raise ValueError("this is bad")
    return value + "!"


class Raise:
    def handle_error(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        raise RuntimeError("not my day")


CONFIG: dict[str, object] = {"processing.exception.handler": Raise}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (builder.stream("in").peek(lambda key, value: None).map_values(fail_on_bad).to("out"))
    return builder.build()
