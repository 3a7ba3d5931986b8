"""In init and in a timer there is record metadata, but without topic, partition and offset."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, StreamsBuilder, Topology


class Tick(Processor[str, str, str, str]):
    def __init__(self, log: Callable[[str], None]) -> None:
        self.log = log

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.tell("init")
        context.schedule(10, PunctuationType.STREAM_TIME, lambda time: self.tell("stream"))
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, lambda time: self.tell("wall"))

    def tell(self, name: str) -> None:
        metadata = self.context.record_metadata
        if metadata is None:
            self.log(f"{name}: no metadata")
        else:
            topic = "no topic" if metadata.topic is None else metadata.topic
            self.log(f"{name}: {topic} {metadata.partition} {metadata.offset}")

    def process(self, record: Record[str, str]) -> None:
        self.tell("process")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").process(lambda: Tick(log)).to("out")
    return builder.build()
