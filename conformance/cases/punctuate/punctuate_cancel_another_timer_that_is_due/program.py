"""A timer may cancel another one that is due at the same moment."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self.first)
        self.other = context.schedule(15, PunctuationType.WALL_CLOCK_TIME, self.second)

    def first(self, time: int) -> None:
        self.log(f"first {time}")
        self.other.cancel()

    def second(self, time: int) -> None:
        self.log(f"second {time}")

    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
