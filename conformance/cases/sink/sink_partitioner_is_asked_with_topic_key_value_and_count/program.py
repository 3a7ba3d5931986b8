"""A partitioner sees the chosen topic, the key and value as objects and the partition count."""

from collections.abc import Callable

from penstock import Produced, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def partitioner(topic: str, key: int, value: str, partitions: int) -> int:
        log(f"{topic} {key + 1} {value} {partitions}")
        return 0

    builder.stream("in").map(lambda key, value: (len(key), value)).to(
        lambda key, value, context: "out-" + value,
        Produced(key=serdes.integer(), partitioner=partitioner),
    )
    return builder.build()
