"""One of the merged streams kept its keys: the topic is still behind the merge."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one = builder.stream("in").select_key(lambda key, value: value)
    both = builder.stream("more").merge(one)
    both.group_by_key().count().to_stream().to("counts")
    both.filter(lambda key, value: value != "y").group_by_key().reduce(
        lambda one, two: one + two
    ).to_stream().to("sums")
    return builder.build({"topology.optimization": "all"})
