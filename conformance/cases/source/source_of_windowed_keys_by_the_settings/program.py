"""A default serde of windowed keys is made of the settings for the key and the windows' size."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {
    "default.key.serde": "org.apache.kafka.streams.kstream.WindowedSerdes$TimeWindowedSerde",
    "windowed.inner.class.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
    "window.size.ms": 10,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.to("same")
    stream.select_key(lambda key, value: str(key)).to("out", Produced(key=serdes.string()))
    return builder.build()
