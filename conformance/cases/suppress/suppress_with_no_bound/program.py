"""Limits can be taken back."""

from collections.abc import Callable

from penstock import BufferConfig, Consumed, StreamsBuilder, Suppressed, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed(key=serdes.string(), value=serdes.string()))
    counts = table.group_by(lambda key, value: (value, key)).count()
    counts.suppress(
        Suppressed.until_time_limit(5, BufferConfig(max_records=1).with_no_bound())
    ).to_stream().to("out")
    counts.to_stream().to("raw")
    return builder.build()
