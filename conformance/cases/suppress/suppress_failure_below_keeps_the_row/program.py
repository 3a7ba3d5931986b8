"""What fails below is the fault of the node below; what is let out is gone."""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def picky(value: str) -> str:
        if value == "bad":
            raise ValueError(value)
        return value

    builder.table("in").suppress(Suppressed.until_time_limit(2)).map_values(picky).to_stream().to(
        "out"
    )
    return builder.build()
