"""An extractor sees key, value, headers and place of the record and decides its timestamp."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.record import ConsumerRecord


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def extractor(record: ConsumerRecord, partition_time: int) -> int:
        log(f"{record.topic} {record.partition} {record.offset} {record.timestamp} {record.key}")
        return int(record.value) + len(list(record.headers))

    builder.stream("in", Consumed(timestamp_extractor=extractor)).to("out")
    return builder.build()
