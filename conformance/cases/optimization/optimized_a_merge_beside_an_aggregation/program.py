"""One of the merged streams is aggregated by itself too."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one = builder.stream("in").select_key(lambda key, value: value)
    one.group_by_key().count().to_stream().to("counts")
    two = builder.stream("more").select_key(lambda key, value: value)
    one.merge(two).group_by_key().reduce(lambda one, two: one + two).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
