"""A processor may add headers to a record and remove all headers of a key."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class Stamp(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        record.headers.remove("old").add("new", b"1").add("new", b"2")
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Stamp).to("out")
    return builder.build()
