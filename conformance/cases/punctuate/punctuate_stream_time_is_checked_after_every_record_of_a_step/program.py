"""Records that are fed back each move stream time, and the timers are asked after each."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, lambda time: self.log(f"tick {time}"))

    def process(self, record: Record[str, str]) -> None:
        self.log(f"process {record.timestamp}")
        if record.timestamp < 30:
            self.context.forward(record.with_timestamp(record.timestamp + 7))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("in")
    return builder.build()
