"""A timer may schedule another; in stream time that one is due at once, in the same check."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log
        self.started = False

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, self.first)

    def first(self, time: int) -> None:
        self.log(f"first {time}")
        if not self.started:
            self.started = True
            self.context.schedule(4, PunctuationType.STREAM_TIME, self.second)

    def second(self, time: int) -> None:
        self.log(f"second {time}")

    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
