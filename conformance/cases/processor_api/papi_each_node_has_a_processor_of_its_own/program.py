"""Two nodes with the same supplier have two objects, each with its own count."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Count(Processor[str, str, str, str]):
    def __init__(self) -> None:
        self.count = 0

    def process(self, record: Record[str, str]) -> None:
        self.count += 1
        self.context.forward(record.with_value(str(self.count)))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.filter(lambda key, value: key == "a").process(Count).to("out")
    stream.process(Count).to("out")
    return builder.build()
