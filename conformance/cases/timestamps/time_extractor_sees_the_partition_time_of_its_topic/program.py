"""Partition time is the highest timestamp taken from that topic, -1 before the first record."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.record import ConsumerRecord


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def extractor(record: ConsumerRecord, partition_time: int) -> int:
        log(f"{record.topic} {partition_time}")
        return record.timestamp

    builder.stream(["left", "right"], Consumed(timestamp_extractor=extractor)).to("out")
    return builder.build()
