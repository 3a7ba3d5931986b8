"""Every verb that may change the key leads through a topic, as soon as something is aggregated."""

from collections.abc import Callable

from penstock import Processor, Record, StreamsBuilder, Topology


class PassOn(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.map(lambda key, value: (value, key)).group_by_key().count().to_stream().to("map")
    stream.flat_map(lambda key, value: [(value, key)]).group_by_key().count().to_stream().to(
        "flat-map"
    )
    stream.select_key(lambda key, value: value).group_by_key().count().to_stream().to("select-key")
    stream.process(PassOn).group_by_key().count().to_stream().to("process")
    return builder.build()
