"""A new key means a new partition: the records go through a topic named after the store."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").group_by(lambda key, value: value).count().to_stream().to("out")
    return builder.build()
