"""Rows of a global table count in the same cache as those of other stores: with one of them in it,
an aggregate overflows in the middle of a record.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 100}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.global_table("names")
    words = builder.stream("in").flat_map_values(str.split).group_by_key()
    words.reduce(lambda aggregate, value: aggregate + value, Materialized("sums")).to_stream().to(
        "out"
    )
    return builder.build()
