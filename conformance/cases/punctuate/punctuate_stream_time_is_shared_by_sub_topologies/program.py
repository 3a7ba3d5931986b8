"""In the driver one task runs all sub-topologies: a record of one moves the timers of the other."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, lambda time: self.log(f"tick {time}"))

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    builder.stream("other").to("out")
    return builder.build()
