"""Each side of a join has the topic of its own change of key, and both have as many partitions."""

from collections.abc import Callable

from penstock import JoinWindows, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one = builder.stream("in").select_key(lambda key, value: value)
    two = builder.stream("other").map(lambda key, value: (value, key))
    one.filter(lambda key, value: True).join(
        two, lambda left, right: f"{left}+{right}", JoinWindows.of_time_difference(10, grace=0)
    ).to("pairs")
    one.group_by_key().count().to_stream().to("counts")
    return builder.build({"topology.optimization": "all"})
