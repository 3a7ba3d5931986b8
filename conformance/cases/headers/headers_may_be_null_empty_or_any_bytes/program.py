"""A header's value may be null, empty or bytes that are no text."""

from collections.abc import Callable

from penstock import Processor, Record, Repartitioned, StreamsBuilder, Topology


class Count(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        sizes = [-1 if value is None else len(value) for _, value in record.headers]
        self.context.forward(record.with_value(" ".join(map(str, sizes))))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").repartition(Repartitioned(name="again")).process(Count).to("out")
    return builder.build()
