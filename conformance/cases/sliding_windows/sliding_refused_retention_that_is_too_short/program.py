"""Sliding windows must be kept for twice their length and the grace."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SlidingWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = grouped.windowed_by(SlidingWindows.of_time_difference(10, grace=5)).count(
        Materialized("counts", retention=24)
    )
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()
