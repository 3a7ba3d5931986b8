"""A record that fails at a flush still has its bytes for the dead letter."""

from collections.abc import Callable

from penstock import Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def check(value: int) -> int:
        if value == 2:
            raise ValueError("two")
        return value

    stream = builder.stream("in")

    counts = stream.group_by_key().count(Materialized("counts"))
    counts.to_stream().map_values(check).to("out", Produced(value=serdes.long()))
    return builder.build()
