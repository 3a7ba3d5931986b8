"""System time moves only when the wall clock is advanced, and does not care about records."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, Record, StreamsBuilder, Topology


class Clock(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.log(f"init {context.current_system_time_ms}")

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_value(str(self.context.current_system_time_ms)))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Clock(log)).to("out")
    return builder.build()
