"""Of many topics with equal timestamps the next is what a binary heap gives, not the oldest."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"max.task.idle.ms": 100}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["a", "b", "c", "d", "e"]).to("out")
    return builder.build()
