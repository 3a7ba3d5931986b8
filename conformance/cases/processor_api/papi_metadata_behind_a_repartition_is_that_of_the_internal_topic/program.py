"""Behind a repartition a record has the place it has in the internal topic."""

from collections.abc import Callable

from penstock import Processor, Record, Repartitioned, StreamsBuilder, Topology


class Where(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        where = f"{metadata.topic} {metadata.partition} {metadata.offset}"
        self.context.forward(record.with_value(f"{record.value} {where}"))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .filter(lambda key, value: value != "skip")
        .repartition(Repartitioned(name="again"))
        .process(Where)
        .to("out")
    )
    return builder.build()
