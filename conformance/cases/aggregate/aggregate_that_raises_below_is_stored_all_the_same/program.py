"""If a verb below an aggregate raises and the handler goes on, the aggregate counts all the
same.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def check(value: int) -> str:
        if value == 2:
            raise ValueError(value)
        return str(value)

    counts = builder.stream("in").group_by_key().count(Materialized("counts"))
    counts.to_stream().map_values(check).to("out")
    return builder.build()
