"""A number of partitions is accepted; the driver keeps one partition for every topic."""

from collections.abc import Callable

from penstock import Processor, Record, Repartitioned, StreamsBuilder, Topology


class Where(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        self.log(f"{metadata.topic} {metadata.partition} {metadata.offset}")
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .repartition(Repartitioned(name="wide", partitions=7))
        .process(lambda: Where(log))
        .to("out")
    )
    return builder.build()
