"""Two tables of windows, each with all its rows."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    windows = SessionWindows.of_inactivity_gap(5, grace=5)
    left = one.windowed_by(windows).aggregate(
        lambda: "0",
        lambda key, value, total: f"{total}+{value}",
        lambda key, one, other: f"({one}|{other})",
        Materialized("left"),
    )
    right = two.windowed_by(windows).aggregate(
        lambda: "0",
        lambda key, value, total: f"{total}-{value}",
        lambda key, one, other: f"({one}|{other})",
        Materialized("right"),
    )
    both = left.outer_join(right, lambda left, right: f"{left or 'none'} & {right or 'none'}")
    both.to_stream(lambda key, value: str(key)).to("out")
    return builder.build()
