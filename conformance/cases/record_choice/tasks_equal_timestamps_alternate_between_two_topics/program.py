"""Of two topics with equal timestamps the one that was not served last is next."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"max.task.idle.ms": 100}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("b").merge(builder.stream("a")).to("out")
    return builder.build()
