"""An exception in an extractor is fatal, whatever the handlers say."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.handlers import (
    LogAndContinueExceptionHandler,
    LogAndContinueProcessingExceptionHandler,
)
from penstock.record import ConsumerRecord

CONFIG: dict[str, object] = {
    "deserialization.exception.handler": LogAndContinueExceptionHandler,
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}


def extractor(record: ConsumerRecord, partition_time: int) -> int:
    if record.value == "bad":
        raise ValueError("no time")
    return record.timestamp


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(timestamp_extractor=extractor)).to("out")
    return builder.build()
