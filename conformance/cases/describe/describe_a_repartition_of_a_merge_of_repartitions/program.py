"""Repartitions before and after a merge give four sub-topologies, numbered as they were drawn."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one = builder.stream("one").repartition(Repartitioned(name="r-one"))
    two = builder.stream("two").repartition(Repartitioned(name="r-two"))
    three = builder.stream("three")
    one.merge(two).repartition(Repartitioned(name="r-both")).merge(three).to("out")
    return builder.build()
