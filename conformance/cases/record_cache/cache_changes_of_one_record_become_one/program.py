"""With a cache, several updates of a key between two commits are one, with the last value and
the latest time.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(str.split)
    words.group_by_key().count(Materialized("counts")).to_stream().to("counts")
    words.group_by_key().reduce(lambda aggregate, value: aggregate + value).to_stream().to("sums")
    return builder.build()
