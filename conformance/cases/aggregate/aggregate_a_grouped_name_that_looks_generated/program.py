"""A Grouped name of the form of a generated one leaves the nodes their numbers."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.group_by(
        lambda key, value: value, Grouped(name="KSTREAM-MINE-0000000042")
    ).count().to_stream().to("out")
    stream.group_by(
        lambda key, value: value, Grouped(name="mine-repartition")
    ).count().to_stream().to("out")
    return builder.build()
