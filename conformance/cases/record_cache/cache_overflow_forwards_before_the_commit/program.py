"""An aggregate whose cache overflows forwards in the middle of a record; headers and topic
count.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 200}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    letters = builder.stream("in").flat_map_values(str.split)
    letters.group_by_key().reduce(
        lambda aggregate, value: aggregate + value, Materialized("sums")
    ).to_stream().to("out")
    letters.group_by_key().count(Materialized("counts")).to_stream().to("counts")
    return builder.build()
