"""What a timer forwards may fail further down; the dead letter then has no input record."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def fail_on_bad(value: str) -> str:
    if value == "bad":
        raise ValueError("this is bad")
    return value + "!"


class Tick(Processor[str, str, str, str]):
    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self.tick)

    def tick(self, timestamp: int) -> None:
        self.context.forward(Record("k", "good", 1))
        self.context.forward(Record("k", "bad", 2))
        self.context.forward(Record("k", "better", 3))

    def process(self, record: Record[str, str]) -> None:
        pass


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Tick).map_values(fail_on_bad).to("out")
    return builder.build()
