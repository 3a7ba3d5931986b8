"""What one cache lets out at a commit goes into the next one, which is flushed after it."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(str.split)
    counts = words.group_by_key().count(Materialized("counts"))
    sums = (
        counts.to_stream()
        .group_by_key()
        .reduce(lambda total, count: total + count, Materialized("sums"))
    )
    sums.to_stream().to("out")
    sums.filter(lambda key, total: total > 3).to_stream().to("many")
    return builder.build()
