"""A source without an extractor uses the configured one, a source with one its own."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology
from penstock.record import ConsumerRecord
from penstock.timestamps import FailOnInvalidTimestamp


class Thousand:
    def __call__(self, record: ConsumerRecord, partition_time: int) -> int:
        return record.timestamp + 1000


CONFIG: dict[str, object] = {"default.timestamp.extractor": Thousand}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("default").to("out")
    builder.stream("own", Consumed(timestamp_extractor=FailOnInvalidTimestamp())).to("out")
    return builder.build()
