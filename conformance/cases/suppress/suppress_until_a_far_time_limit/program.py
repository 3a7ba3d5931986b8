"""What is never due is never let out."""

from collections.abc import Callable
from datetime import timedelta

from penstock import Consumed, StreamsBuilder, Suppressed, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.string(), value=serdes.string()))
    counts = table.group_by(lambda key, value: (value, key)).count()
    counts.suppress(Suppressed.until_time_limit(timedelta(days=300_000))).to_stream().to("out")
    counts.to_stream().to("raw")
    return builder.build()
