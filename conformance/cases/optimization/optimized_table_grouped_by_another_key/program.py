"""A table that is grouped has the topic of its rows for a changelog, and a topic for its
groups.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {"topology.optimization": "all"}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows = builder.table("rows")
    rows.group_by(lambda key, value: (value, key)).count().to_stream().to("out")
    return builder.build({"topology.optimization": "all"})
