"""A timer scheduled while a record is processed fires right after it in stream time."""

from collections.abc import Callable

from penstock import Processor, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def process(self, record: Record[str, str]) -> None:
        name = record.value
        self.context.schedule(
            10, PunctuationType.STREAM_TIME, lambda time: self.log(f"{name} stream {time}")
        )
        self.context.schedule(
            10, PunctuationType.WALL_CLOCK_TIME, lambda time: self.log(f"{name} wall {time}")
        )


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
