"""Two tables of windows are joined by key and window."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SlidingWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    windows = SlidingWindows.of_time_difference(10, grace=5)
    left = one.windowed_by(windows).aggregate(
        lambda: "0",
        lambda key, value, total: f"{total}+{value}",
        Materialized("left"),
    )
    right = two.windowed_by(windows).aggregate(
        lambda: "0",
        lambda key, value, total: f"{total}-{value}",
        Materialized("right"),
    )
    both = left.join(right, lambda left, right: f"{left or 'none'} & {right or 'none'}")
    both.to_stream(lambda key, value: str(key)).to("out")
    return builder.build()
