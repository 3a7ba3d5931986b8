"""A table that is kept nowhere has nothing to optimize."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("rows").to_stream().to("out")
    return builder.build({"topology.optimization": "all"})
