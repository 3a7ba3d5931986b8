"""With a cache the first change of a count has no old value."""

from collections.abc import Callable

from penstock import Grouped, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    counts = builder.stream("in").group_by_key().count()
    counts.group_by(
        lambda key, count: (str(count), key), Grouped(key=serdes.string(), value=serdes.string())
    ).count().to_stream().to("out")
    return builder.build()
