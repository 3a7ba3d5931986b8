"""A cancelled timer does not fire any more, also if it was due with that very record."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.stream_timer = context.schedule(10, PunctuationType.STREAM_TIME, self.tick)
        self.wall_timer = context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self.tick)

    def tick(self, timestamp: int) -> None:
        self.log(str(timestamp))

    def process(self, record: Record[str, str]) -> None:
        if record.value == "cancel":
            self.stream_timer.cancel()
            self.wall_timer.cancel()


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
