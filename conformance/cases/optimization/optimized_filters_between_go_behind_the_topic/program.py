"""Each aggregation has its own filter: both go behind the topic."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.filter(lambda key, value: value != "y").group_by_key().count().to_stream().to("counts")
    rekeyed.filter(lambda key, value: value != "x").group_by_key().reduce(
        lambda one, two: one + two
    ).to_stream().to("sums")
    rekeyed.to("rekeyed")
    return builder.build({"topology.optimization": "all"})
