"""When there are too many bytes, the oldest rows come out early; bytes are counted as Java does."""

from collections.abc import Callable
from datetime import timedelta

from penstock import BufferConfig, Consumed, StreamsBuilder, Suppressed, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.string(), value=serdes.string()))
    counts = table.group_by(lambda key, value: (value, key)).count()
    counts.suppress(
        Suppressed.until_time_limit(timedelta(days=1), BufferConfig(max_bytes=300))
    ).to_stream().to("out")
    counts.to_stream().to("raw")
    return builder.build()
