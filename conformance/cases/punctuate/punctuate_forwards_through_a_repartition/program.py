"""What a timer forwards into a repartition is worked on in the same step."""

from collections.abc import Callable

from penstock import (
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    Repartitioned,
    StreamsBuilder,
    Topology,
)


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self.tick)

    def tick(self, timestamp: int) -> None:
        self.context.forward(Record("tick", str(timestamp), timestamp))

    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in").process(lambda: Tick(log))
    stream.repartition(Repartitioned(name="again")).to("out")
    return builder.build()
