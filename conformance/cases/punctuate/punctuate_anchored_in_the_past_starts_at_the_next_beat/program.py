"""A start time that has passed counts only for the beat: the first tick is the next one on it."""

from collections.abc import Callable

from penstock import Processor, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log
        self.scheduled = False

    def process(self, record: Record[str, str]) -> None:
        if not self.scheduled:
            self.scheduled = True
            for type in (PunctuationType.STREAM_TIME, PunctuationType.WALL_CLOCK_TIME):
                self.context.schedule(10, type, self.tick, start_time=3)

    def tick(self, timestamp: int) -> None:
        self.log(str(timestamp))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
