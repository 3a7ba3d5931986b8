"""The topic holds the new value with its length before the old one; lengths take
one byte or more.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in").group_by(lambda key, value: ("g", value))
    groups.aggregate(
        lambda: 0,
        lambda key, value, total: total + len(value),
        lambda key, value, total: total - len(value),
        Materialized("lengths", value=serdes.long()),
    ).to_stream().to("out")
    return builder.build()
