"""With max.task.idle.ms 0 the driver takes a record at once, though another topic is empty."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"max.task.idle.ms": 0}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("left").merge(builder.stream("right")).to("out")
    return builder.build()
