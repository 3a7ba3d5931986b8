"""Two calls of group_by are two changes of key."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.group_by(lambda key, value: value).count().to_stream().to("counts")
    stream.group_by(lambda key, value: value).reduce(lambda one, two: one + two).to_stream().to(
        "sums"
    )
    return builder.build({"topology.optimization": "all"})
