"""A repartition topic keeps the timestamps that were written to it."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology
from penstock.record import ConsumerRecord


class Thousand:
    def __call__(self, record: ConsumerRecord, partition_time: int) -> int:
        return record.timestamp + 1000


CONFIG: dict[str, object] = {"default.timestamp.extractor": Thousand}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").repartition(Repartitioned(name="again")).to("between")
    builder.stream("between").to("out")
    return builder.build()
