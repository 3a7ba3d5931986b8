"""The same in a store in memory."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SlidingWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = grouped.windowed_by(SlidingWindows.of_time_difference(10, grace=5)).count(
        Materialized("counts", store="in_memory")
    )
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()
