"""A tick fires after the record that made it due has gone all the way."""

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
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").process(lambda: Tick(log))
    stream.for_each(lambda key, value: log("end"))
    return builder.build()
