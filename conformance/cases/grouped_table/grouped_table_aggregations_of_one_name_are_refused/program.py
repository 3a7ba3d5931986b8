"""Two aggregations must not have one name."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in").group_by(lambda key, value: (value, key))
    groups.count(named="counting")
    groups.count(named="counting")
    return builder.build()
