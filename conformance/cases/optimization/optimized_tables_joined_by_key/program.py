"""Tables that are joined by key are read back from their topics."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left")
    right = builder.table("right")
    left.left_join(right, lambda one, two: f"{one}+{two}", Materialized("both")).to_stream().to(
        "out"
    )
    return builder.build({"topology.optimization": "all"})
