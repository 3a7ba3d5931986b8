"""An aggregate of None deletes the row of a window."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SlidingWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    sums = grouped.windowed_by(SlidingWindows.of_time_difference(10, grace=20)).aggregate(
        lambda: "0",
        lambda key, value, total: None if value == "stop" else f"{total}+{value}",
        Materialized("sums"),
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()
