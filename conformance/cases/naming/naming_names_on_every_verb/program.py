"""With a name given to every verb no generated name is left."""

from collections.abc import Callable

from penstock import (
    Branched,
    Consumed,
    FixedKeyProcessor,
    FixedKeyRecord,
    KStream,
    Printed,
    Processor,
    Produced,
    Record,
    Repartitioned,
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
    source: KStream[str, str] = builder.stream("in", Consumed(name="source"))
    stream = (
        source.filter(lambda key, value: True, named="filter")
        .filter_not(lambda key, value: False, named="filter-not")
        .map(lambda key, value: (key, value), named="map")
        .map_values(lambda value: value, named="map-values")
        .map_values_with_key(lambda key, value: value, named="map-values-with-key")
        .flat_map(lambda key, value: [(key, value)], named="flat-map")
        .flat_map_values(lambda value: [value], named="flat-map-values")
        .flat_map_values_with_key(lambda key, value: [value], named="flat-map-values-with-key")
        .select_key(lambda key, value: key, named="select-key")
        .peek(lambda key, value: None, named="peek")
        .process(PassOn, named="process")
        .process_values(PassValueOn, named="process-values")
        .repartition(Repartitioned(name="again"))
    )
    other: KStream[str, str] = builder.stream("other", Consumed(name="other-source"))
    stream.merge(other, named="merge").to("out", Produced(name="sink"))
    stream.filter(lambda key, value: False, named="none").print(Printed.to_sys_out(name="print"))
    stream.for_each(lambda key, value: None, named="for-each")
    branches = (
        stream.split(named="split-")
        .branch(lambda key, value: True, Branched(name="yes"))
        .default_branch(Branched(name="no"))
    )
    branches["split-yes"].to("branch", Produced(name="yes-sink"))
    branches["split-no"].to("branch", Produced(name="no-sink"))
    return builder.build()
