"""Produced serdes write numbers as Kafka does: big-endian, nulls as null."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").map(
        lambda key, value: (int(key), None if value is None else len(value))
    ).to("out", Produced(key=serdes.integer(), value=serdes.long()))
    return builder.build()
