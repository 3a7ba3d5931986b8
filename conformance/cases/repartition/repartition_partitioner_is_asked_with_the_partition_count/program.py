"""The partitioner of a repartition is asked for each record that has a key."""

from collections.abc import Callable

from penstock import Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def partitioner(topic: str, key: str, value: str, partitions: int) -> int:
        log(f"{topic} {key} {value} {partitions}")
        return 0

    builder.stream("in").repartition(Repartitioned(name="mine", partitioner=partitioner)).to("out")
    return builder.build()
