"""A repartition topic must have at least one partition."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").repartition(Repartitioned(partitions=0)).to("out")
    return builder.build()
