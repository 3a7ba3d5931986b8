"""A joiner that raises is the fault of the side whose change it was; the tables have changed."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}


def picky(left: str | None, right: str | None) -> str:
    if "bad" in (left, right):
        raise ValueError("bad")
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.join(right, picky).to_stream().to("out")
    return builder.build()
