"""A row that must leave the cache of one store still counts while it is forwarded: the cache of the
store below finds no room either.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 120}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    letters = builder.stream("in").flat_map_values(str.split)
    words = letters.group_by_key().reduce(
        lambda aggregate, value: aggregate + value, Materialized("one")
    )
    words.map_values(lambda word: f"{word}*", Materialized("two")).to_stream().to("out")
    return builder.build()
