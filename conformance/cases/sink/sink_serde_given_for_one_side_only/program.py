"""Produced with one serde takes the other from the stream, or else from the configuration."""

from collections.abc import Callable

from penstock import Consumed, KStream, Produced, StreamsBuilder, Topology, serdes
from penstock.serdes import Serde


class Shout(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.upper().encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


CONFIG: dict[str, object] = {"default.key.serde": Shout(), "default.value.serde": Shout()}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream: KStream[str, str] = builder.stream("in", Consumed(value=serdes.string()))
    stream.to("neither")
    stream.to("key", Produced(key=serdes.string()))
    stream.to("value", Produced(value=Shout()))
    return builder.build()
