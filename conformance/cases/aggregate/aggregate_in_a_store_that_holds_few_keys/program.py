"""A count in a store of two keys begins again for a key that was evicted."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    counts = builder.stream("in").group_by_key().count(Materialized("counts", max_entries=2))
    counts.to_stream().map_values(str).to("out")
    return builder.build()
