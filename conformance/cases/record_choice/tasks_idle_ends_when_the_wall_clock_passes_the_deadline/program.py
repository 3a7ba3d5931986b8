"""Held records are taken when the wall clock has moved by the idle time since the wait began."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"max.task.idle.ms": 100}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("left").merge(builder.stream("right")).to("out")
    return builder.build()
