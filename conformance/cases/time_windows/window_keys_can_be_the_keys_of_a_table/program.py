"""A stream with windowed keys can be aggregated under these."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = grouped.windowed_by(TimeWindows.of_size(10)).count(Materialized("counts"))
    latest = counts.to_stream().group_by_key().reduce(lambda one, other: one + other)
    latest.to_stream().to("out")
    return builder.build()
