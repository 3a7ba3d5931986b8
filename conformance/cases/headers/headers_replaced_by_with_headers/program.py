"""with_headers gives a record with other headers; the first one keeps its own."""

from collections.abc import Callable

from penstock import Headers, Processor, Record, StreamsBuilder, Topology


class Replace(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_headers(Headers([("only", b"this")])))
        self.context.forward(record.with_headers(Headers()))
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Replace).to("out")
    return builder.build()
