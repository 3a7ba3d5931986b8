"""An exception in init stops the task before the first record."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, Record, StreamsBuilder, Topology


class Fail(Processor[str, str, str, str]):
    def init(self, context: ProcessorContext[str, str]) -> None:
        raise ValueError("not ready")

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Fail).to("out")
    return builder.build()
