"""Consumed serdes read numbers as Kafka does; a null stays null."""

from collections.abc import Callable

from penstock import Consumed, Produced, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("in", Consumed(key=serdes.integer(), value=serdes.double()))
        .map(lambda key, value: (str(key + 1), None if value is None else str(value / 2)))
        .to("out", Produced(key=serdes.string(), value=serdes.string()))
    )
    return builder.build()
