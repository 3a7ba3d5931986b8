"""With a cache above, changes come to the buffer at the flush."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Suppressed, Topology, serdes

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.string(), value=serdes.string()))
    counts = table.group_by(lambda key, value: (value, key)).count()
    counts.suppress(Suppressed.until_time_limit(2)).to_stream().to("out")
    counts.to_stream().to("raw")
    return builder.build()
