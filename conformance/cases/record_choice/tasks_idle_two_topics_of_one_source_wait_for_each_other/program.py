"""Two topics of one source are two partitions of the task: each is waited for."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"max.task.idle.ms": 50}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.stream(["left", "right"]).to("out")
    return builder.build()
