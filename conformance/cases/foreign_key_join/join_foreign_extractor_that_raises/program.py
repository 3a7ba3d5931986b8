"""An extractor that raises loses its change only, if the handler goes on; the next change finds
the row it left.
"""

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

    def careful(value: str) -> str | None:
        if value.startswith("bad"):
            raise ValueError(value)
        return foreign_key(value)

    left.join(right, careful, joined).to_stream().to("out")
    return builder.build()
