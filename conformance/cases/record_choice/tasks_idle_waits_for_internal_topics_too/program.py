"""In the driver the one task also waits for records of its own repartition topic."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"max.task.idle.ms": 100}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").repartition(Repartitioned(name="again")).to("out")
    return builder.build()
