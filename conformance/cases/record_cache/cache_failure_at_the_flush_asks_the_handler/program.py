"""A verb that raises when a cache is flushed asks its handler, as ever."""

from collections.abc import Callable

from penstock import Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def check(value: int) -> int:
        if value == 2:
            raise ValueError(value)
        return value

    counts = builder.stream("in").group_by_key().count(Materialized("counts"))
    counts.to_stream().map_values(check).to("out", Produced(value=serdes.long()))
    return builder.build()
