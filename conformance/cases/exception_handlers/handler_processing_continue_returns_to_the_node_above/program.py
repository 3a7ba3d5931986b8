"""The forward of the node above the failing one returns as if nothing had happened."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def fail_on_bad(value: str) -> str:
    if value == "bad":
        raise ValueError("this is bad")
    return value + "!"


class Twice(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)
        self.log("back")
        self.context.forward(record.with_value(record.value + record.value))
        self.log("done")


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Twice(log)).map_values(fail_on_bad).to("out")
    return builder.build()
