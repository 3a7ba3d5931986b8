"""A topic extractor sees where the input came from and the record's own timestamp."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology
from penstock.record import RecordContext


class Later(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)
        self.context.forward(record.with_timestamp(record.timestamp + 100))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def where(key: str, value: str, context: RecordContext) -> str:
        return f"{context.topic}-{context.partition}-{context.offset}-{context.timestamp}"

    builder.stream(["left", "right"]).process(Later).to(where)
    return builder.build()
