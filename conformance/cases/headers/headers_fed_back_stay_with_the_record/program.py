"""A record that is written to a source topic comes back with its headers."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Visit(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        visits = len(record.headers.headers("visit"))
        record.headers.add("visit", str(visits).encode())
        self.context.forward(record.with_value("in" if visits < 2 else "out"))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Visit).to(lambda key, value, context: value)
    return builder.build()
