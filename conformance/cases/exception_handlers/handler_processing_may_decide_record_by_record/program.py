"""A handler may go on for one error and fail for another."""

from collections.abc import Callable
from typing import Any

from penstock import Record, StreamsBuilder, Topology
from penstock.handlers import ErrorHandlerContext, Response


def check(value: str) -> str:
    if value in ("minor", "major"):
        raise ValueError(value)
    return value


class Weigh:
    def handle_error(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        return Response.resume() if str(exception) == "minor" else Response.fail()


CONFIG: dict[str, object] = {"processing.exception.handler": Weigh}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map_values(check).to("out")
    return builder.build()
