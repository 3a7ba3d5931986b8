"""The timestamp of a record is extracted when it is next in its topic, not when it arrives."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.record import ConsumerRecord

CONFIG: dict[str, object] = {"max.task.idle.ms": 100}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def extractor(record: ConsumerRecord, partition_time: int) -> int:
        log(f"{record.value} after {partition_time}")
        return record.timestamp

    builder.stream(["left", "right"], Consumed(timestamp_extractor=extractor)).to("out")
    return builder.build()
