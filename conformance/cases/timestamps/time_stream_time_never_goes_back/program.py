"""Stream time is the highest timestamp the task has taken up, -1 before the first record."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, Record, StreamsBuilder, Topology


class Clock(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.log(f"init {context.current_stream_time_ms}")

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_value(str(self.context.current_stream_time_ms)))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["left", "right"]).process(lambda: Clock(log)).to("out")
    return builder.build()
