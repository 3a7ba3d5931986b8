"""Headers stay with the record through every verb, and each child of a flat_map has them."""

from collections.abc import Callable

from penstock import FixedKeyProcessor, FixedKeyRecord, Processor, Record, StreamsBuilder, Topology


class PassOn(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


class PassValueOn(FixedKeyProcessor[str, str, str]):
    def process(self, record: FixedKeyRecord[str, str]) -> None:
        self.context.forward(record.with_value(record.value))


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = (
        builder.stream("in")
        .filter(lambda key, value: True)
        .filter_not(lambda key, value: False)
        .map(lambda key, value: (value, key))
        .map_values(lambda value: value + "!")
        .flat_map(lambda key, value: [(key, value), (value, key)])
        .flat_map_values(lambda value: [value, value])
        .select_key(lambda key, value: "k")
        .peek(lambda key, value: None)
        .process(PassOn)
        .process_values(PassValueOn)
    )
    branches = stream.split(named="split-").branch(lambda key, value: True).no_default_branch()
    branches["split-1"].merge(builder.stream("other")).to("out")
    return builder.build()
