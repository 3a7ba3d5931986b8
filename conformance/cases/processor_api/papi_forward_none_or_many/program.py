"""A processor may forward nothing, or many records with keys, values and times of their own."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Count(Processor[str, str, str, None]):
    def process(self, record: Record[str, str]) -> None:
        for number in range(int(record.value)):
            self.context.forward(Record(f"{record.key}{number}", None, record.timestamp + number))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Count).to("out")
    return builder.build()
