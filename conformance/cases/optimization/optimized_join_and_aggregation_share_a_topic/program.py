"""A join and an aggregation below one change of key share a topic."""

from collections.abc import Callable

from penstock import JoinWindows, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.group_by_key().count().to_stream().to("counts")
    other = builder.stream("other")
    rekeyed.join(
        other, lambda one, two: f"{one}+{two}", JoinWindows.of_time_difference(10, grace=0)
    ).to("pairs")
    return builder.build({"topology.optimization": "all"})
