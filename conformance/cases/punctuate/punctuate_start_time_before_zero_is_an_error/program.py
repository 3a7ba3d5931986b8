"""A start time must not be negative; process that asks for one fails."""

from collections.abc import Callable

from penstock import Processor, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        self.context.schedule(
            10,
            PunctuationType.STREAM_TIME,
            lambda time: self.log(str(time)),
            start_time=int(record.value),
        )


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
