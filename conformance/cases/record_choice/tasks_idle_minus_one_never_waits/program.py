"""With max.task.idle.ms -1 the task never waits for the other topic."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"max.task.idle.ms": -1}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("left").merge(builder.stream("right")).to("out")
    return builder.build()
