"""A store without caching forwards each update; others are not touched."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(str.split)
    words.group_by_key().count(Materialized("each", caching=False)).to_stream().to("each")
    words.group_by_key().count(Materialized("last")).to_stream().to("last")
    return builder.build()
