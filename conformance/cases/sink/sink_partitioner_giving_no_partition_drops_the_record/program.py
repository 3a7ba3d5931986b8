"""A partitioner that gives the empty set drops the record, and it is counted."""

from collections.abc import Callable, Iterable

from penstock import Produced, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def partitioner(topic: str, key: str, value: str, partitions: int) -> Iterable[int]:
        return [] if value == "drop" else [0]

    builder.stream("in").to("out", Produced(partitioner=partitioner))
    return builder.build()
