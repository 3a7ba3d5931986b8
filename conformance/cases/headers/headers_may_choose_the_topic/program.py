"""A topic extractor sees the headers of the record it routes, as the nodes above left them."""

from collections.abc import Callable

from penstock import Headers, Processor, Record, StreamsBuilder, Topology
from penstock.record import RecordContext


class Redirect(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_headers(Headers([("to", b"redirected")])))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def route(key: str, value: str, context: RecordContext) -> str:
        return (context.headers.last_header("to") or b"nowhere").decode()

    stream = builder.stream("in")
    stream.to(route)
    stream.process(Redirect).to(route)
    return builder.build()
