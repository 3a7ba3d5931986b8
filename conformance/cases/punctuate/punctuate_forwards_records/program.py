"""A timer may forward records; they have the time they are given and no headers."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, lambda time: self.tick("s", time))
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, lambda time: self.tick("w", time))

    def tick(self, key: str, timestamp: int) -> None:
        self.context.forward(Record(key, str(timestamp), timestamp))
        self.context.forward(Record(key, "", 0))

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
