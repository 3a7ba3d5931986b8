"""A joiner that raises loses its answer only, if the handler goes on."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left")
    right = builder.table("right")

    def careful(left: str, right: str | None) -> str:
        if left.startswith("bad"):
            raise ValueError(left)
        return joined(left, right)

    left.left_join(right, foreign_key, careful).to_stream().to("out")
    return builder.build()
