"""An exception in a timer is handled too: it is counted, and the timer goes on."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


class Tick(Processor[str, str, str, str]):
    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, self.tick)

    def tick(self, timestamp: int) -> None:
        self.context.forward(Record("tick", str(timestamp), timestamp))
        if timestamp > 10:
            raise ValueError(f"too late at {timestamp}")
        self.context.forward(Record("tock", str(timestamp), timestamp))

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "errors.dead.letter.queue.topic.name": "dead",
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Tick).to("out")
    return builder.build()
