"""Streams that are merged after their keys changed have one topic, behind the merge."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one = builder.stream("in").select_key(lambda key, value: value)
    two = builder.stream("more").map(lambda key, value: (value, value))
    both = one.merge(two)
    both.group_by_key().count().to_stream().to("counts")
    both.group_by_key().reduce(lambda one, two: one + two).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
