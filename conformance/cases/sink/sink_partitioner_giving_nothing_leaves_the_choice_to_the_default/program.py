"""A partitioner may leave the choice to Kafka's own."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("out", Produced(partitioner=lambda topic, key, value, partitions: None))
    return builder.build()
