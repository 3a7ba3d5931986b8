"""A negative timestamp is replaced by the highest one seen on the partition."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.timestamps import UsePartitionTimeOnInvalidTimestamp


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    extractor = UsePartitionTimeOnInvalidTimestamp()
    builder.stream(["in", "other"], Consumed(timestamp_extractor=extractor)).to("out")
    return builder.build()
