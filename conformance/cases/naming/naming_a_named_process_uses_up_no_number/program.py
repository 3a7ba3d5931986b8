"""process and process_values with a name use up no number, unlike every other verb."""

from collections.abc import Callable

from penstock import FixedKeyProcessor, FixedKeyRecord, Processor, Record, StreamsBuilder, Topology


class PassOn(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


class PassValueOn(FixedKeyProcessor[str, str, str]):
    def process(self, record: FixedKeyRecord[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in")
        .process(PassOn, named="process")
        .peek(lambda key, value: None)
        .process_values(PassValueOn, named="process-values")
        .peek(lambda key, value: None)
        .process(PassOn)
        .process_values(PassValueOn)
        .to("out")
    )
    return builder.build()
