"""A changed timestamp holds for the children of that forward only."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Shift(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_timestamp(record.timestamp + 100))
        self.context.forward(record.with_timestamp(0))
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.process(Shift).to(lambda key, value, context: f"shifted-{context.timestamp}")
    stream.to(lambda key, value, context: f"beside-{context.timestamp}")
    return builder.build()
