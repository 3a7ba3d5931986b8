"""Of several due timers the one that was due first fires first, each once."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        for interval in (7, 3, 5):
            context.schedule(interval, PunctuationType.WALL_CLOCK_TIME, self.tick(interval))

    def tick(self, interval: int) -> Callable[[int], None]:
        return lambda timestamp: self.log(f"every {interval} at {timestamp}")

    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
