"""Without names every verb takes a prefix and the next number."""

from collections.abc import Callable

from penstock import (
    FixedKeyProcessor,
    FixedKeyRecord,
    Printed,
    Processor,
    Record,
    StreamsBuilder,
    Topology,
)


class PassOn(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


class PassValueOn(FixedKeyProcessor[str, str, str]):
    def process(self, record: FixedKeyRecord[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = (
        builder.stream("in")
        .filter(lambda key, value: True)
        .filter_not(lambda key, value: False)
        .map(lambda key, value: (key, value))
        .map_values(lambda value: value)
        .map_values_with_key(lambda key, value: value)
        .flat_map(lambda key, value: [(key, value)])
        .flat_map_values(lambda value: [value])
        .flat_map_values_with_key(lambda key, value: [value])
        .select_key(lambda key, value: key)
        .peek(lambda key, value: None)
        .process(PassOn)
        .process_values(PassValueOn)
        .repartition()
    )
    stream.merge(builder.stream("other")).to("out")
    stream.filter(lambda key, value: False).print(Printed.to_sys_out())
    stream.for_each(lambda key, value: None)
    branches = stream.split().branch(lambda key, value: True).default_branch()
    for name in sorted(branches):
        log(name)
        branches[name].to("branch")
    return builder.build()
