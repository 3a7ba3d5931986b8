"""An explicit repartition clears the need for another one."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.repartition(Repartitioned(name="once")).group_by_key().count().to_stream().to("out")
    return builder.build()
