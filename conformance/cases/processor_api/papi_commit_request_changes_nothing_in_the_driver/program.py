"""commit() is a request; the driver commits after each record anyway."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Commit(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)
        self.context.commit()
        self.context.forward(record.with_value("after"))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Commit).to("out")
    return builder.build()
