"""LogAndSkipOnInvalidTimestamp drops a record with a negative timestamp and counts it."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.timestamps import LogAndSkipOnInvalidTimestamp


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(timestamp_extractor=LogAndSkipOnInvalidTimestamp())).to("out")
    return builder.build()
