"""A partitioner that gives several partitions has the record written once to each."""

from collections.abc import Callable, Iterable

from penstock import Produced, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def partitioner(topic: str, key: str, value: str, partitions: int) -> Iterable[int]:
        return {int(letter) for letter in value}

    builder.stream("in").to("out", Produced(partitioner=partitioner))
    return builder.build()
