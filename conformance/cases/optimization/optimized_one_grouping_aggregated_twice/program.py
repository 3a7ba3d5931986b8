"""Two aggregations of one grouping share a topic."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by(lambda key, value: value)
    grouped.count().to_stream().to("counts")
    grouped.reduce(lambda one, two: one + two).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
