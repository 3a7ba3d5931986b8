"""A sink uses the serdes of its stream until a verb that may change the type forgets them."""

from collections.abc import Callable

from penstock import (
    Consumed,
    FixedKeyProcessor,
    FixedKeyRecord,
    Processor,
    Record,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock.serdes import Serde


class Shout(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.upper().encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


CONFIG: dict[str, object] = {"default.key.serde": Shout(), "default.value.serde": Shout()}


class PassOn(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


class PassValueOn(FixedKeyProcessor[str, str, str]):
    def process(self, record: FixedKeyRecord[str, str]) -> None:
        self.context.forward(record)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed(key=serdes.string(), value=serdes.string()))
    stream.filter(lambda key, value: True).to("filter")
    stream.filter_not(lambda key, value: False).to("filter-not")
    stream.map(lambda key, value: (key, value)).to("map")
    stream.map_values(lambda value: value).to("map-values")
    stream.flat_map(lambda key, value: [(key, value)]).to("flat-map")
    stream.flat_map_values(lambda value: [value]).to("flat-map-values")
    stream.select_key(lambda key, value: key).to("select-key")
    stream.peek(lambda key, value: None).to("peek")
    stream.process(PassOn).to("process")
    stream.process_values(PassValueOn).to("process-values")
    stream.merge(builder.stream("other")).to("merge")
    stream.split(named="split-").default_branch()["split-0"].to("branch")
    return builder.build()
