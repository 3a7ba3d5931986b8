"""What a timer forwards has the place of no topic: null, -1, -1 and its own timestamp."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology
from penstock.record import RecordContext


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, self.tick)

    def tick(self, timestamp: int) -> None:
        self.context.forward(Record("tick", "t", 3))

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def where(key: str, value: str, context: RecordContext) -> str:
        topic = context.topic or "none"
        return f"{topic}_{context.partition}_{context.offset}_{context.timestamp}"

    builder.stream("in").process(lambda: Tick(log)).to(where)
    return builder.build()
