"""A timer can read stream time, -1 before the first record, and system time."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, lambda time: self.tell("stream"))
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, lambda time: self.tell("wall"))

    def tell(self, name: str) -> None:
        times = f"{self.context.current_stream_time_ms} {self.context.current_system_time_ms}"
        self.log(f"{name} {times}")

    def process(self, record: Record[str, str]) -> None:
        self.tell("process")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
