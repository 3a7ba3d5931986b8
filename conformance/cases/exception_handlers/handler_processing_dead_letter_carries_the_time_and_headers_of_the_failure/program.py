"""A dead letter has timestamp and headers of the record as it reached the failing node."""

from collections.abc import Callable

from penstock import Headers, Processor, Record, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def fail_on_bad(value: str) -> str:
    if value == "bad":
        raise ValueError("this is bad")
    return value + "!"


class Change(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        changed = record.with_headers(Headers([("new", b"1")])).with_timestamp(77)
        self.context.forward(changed)


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Change).map_values(fail_on_bad).to("out")
    return builder.build()
