"""TableJoined's partitioners are asked for both ways, with the topic, the key, no value and the
number of partitions.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, TableJoined, Topology


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left")
    right = builder.table("right")

    def partition(topic: str, key: str, value: None, partitions: int) -> int:
        log(f"{topic} {key} {value} {partitions}")
        return 0

    def other_partition(topic: str, key: str, value: None, partitions: int) -> list[int]:
        log(f"other {topic} {key} {value} {partitions}")
        return [0]

    left.join(
        right,
        foreign_key,
        joined,
        TableJoined(partitioner=partition, other_partitioner=other_partition),
    ).to_stream().to("out")
    return builder.build()
