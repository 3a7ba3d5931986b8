"""A processor cannot forward while it is initialised: its children are not ready."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, Record, StreamsBuilder, Topology


class Eager(Processor[str, str, str, str]):
    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.forward(Record("k", "too early", 0))

    def process(self, record: Record[str, str]) -> None:
        pass


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(Eager).peek(lambda key, value: log(value)).to("out")
    return builder.build()
