"""What is only read takes room too, and may push out what was written."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 130}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(str.split)
    words.group_by_key().reduce(
        lambda aggregate, value: aggregate + value, Materialized("sums")
    ).to_stream().to("out")
    return builder.build()
