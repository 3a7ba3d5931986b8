"""A repartition without serdes writes keys with the default one, values with the stream's."""

from collections.abc import Callable

from penstock import Consumed, Repartitioned, StreamsBuilder, Topology, serdes
from penstock.serdes import Serde


class Shout(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.upper().encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


CONFIG: dict[str, object] = {"default.key.serde": Shout(), "default.value.serde": Shout()}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    source = builder.stream("in", Consumed(key=serdes.string(), value=serdes.string()))
    source.repartition(Repartitioned(name="again")).to("out")
    return builder.build()
