"""Topic, partition and offset of the input are the same for every record that comes from it."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Where(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        where = f"{metadata.topic} {metadata.partition} {metadata.offset}"
        self.context.forward(record.with_value(f"{record.value} {where}"))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (builder.stream(["left", "right"]).flat_map_values(list).process(Where).to("out"))
    return builder.build()
