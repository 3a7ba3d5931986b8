"""Headers are a list: a key may come twice; the last one answers for it."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Ask(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        last = record.headers.last_header("h")
        self.context.forward(record.with_value("none" if last is None else last.decode()))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Ask).to("out")
    return builder.build()
