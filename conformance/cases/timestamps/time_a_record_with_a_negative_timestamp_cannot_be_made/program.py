"""with_timestamp refuses a negative number, and the task fails."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Earlier(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_timestamp(record.timestamp - 5))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Earlier).to("out")
    return builder.build()
