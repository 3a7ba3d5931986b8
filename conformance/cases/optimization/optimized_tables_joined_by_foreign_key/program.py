"""Tables that are joined by foreign key are read back from their topics; the join keeps its own
changelog.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left")
    right = builder.table("right")
    left.join(right, lambda value: value[0], lambda one, two: one + two).to_stream().to("out")
    return builder.build({"topology.optimization": "all"})
