"""A full buffer is a failure of its node like any other: if its handler goes on, the rows stay."""

from collections.abc import Callable

from penstock import BufferConfig, Consumed, StreamsBuilder, Suppressed, Topology, serdes
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.string(), value=serdes.string()))
    counts = table.group_by(lambda key, value: (value, key)).count()
    counts.suppress(
        Suppressed.until_time_limit(3, BufferConfig(max_records=1).shut_down_when_full())
    ).to_stream().to("out")
    counts.to_stream().to("raw")
    return builder.build()
