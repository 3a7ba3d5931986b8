"""A row that comes and goes between two commits gives no record, not even in the changelog."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    values = builder.stream("in").flat_map_values(
        lambda line: [None if word == "-" else word for word in line.split()]
    )
    values.to_table(Materialized("rows")).to_stream().to("out")
    return builder.build()
