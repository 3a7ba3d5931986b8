"""A record whose extractor gives a negative number is dropped and counted; partition time stays."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.record import ConsumerRecord


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def extractor(record: ConsumerRecord, partition_time: int) -> int:
        log(f"{record.value} after {partition_time}")
        return -1 if record.value == "skip" else record.timestamp

    builder.stream("in", Consumed(timestamp_extractor=extractor)).to("out")
    return builder.build()
