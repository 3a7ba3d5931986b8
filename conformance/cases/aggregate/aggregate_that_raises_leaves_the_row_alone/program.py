"""If an aggregator raises and the handler goes on, the row is as it was."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def add(key: str, value: str, total: str) -> str:
        if value == "bad":
            raise ValueError(value)
        return total + value

    builder.stream("in").group_by_key().aggregate(
        lambda: "", add, Materialized("totals")
    ).to_stream().to("out")
    return builder.build()
