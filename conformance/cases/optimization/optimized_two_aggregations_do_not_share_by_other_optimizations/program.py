"""Other optimizations leave each aggregation its topic."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "reuse.ktable.source.topics"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.group_by_key().count().to_stream().to("counts")
    rekeyed.group_by_key().reduce(lambda one, two: one + two).to_stream().to("sums")
    return builder.build({"topology.optimization": "reuse.ktable.source.topics"})
