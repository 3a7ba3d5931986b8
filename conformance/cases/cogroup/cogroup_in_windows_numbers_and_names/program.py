"""Numbers and names of cogroups in windows of all kinds, keys as bytes."""

from collections.abc import Callable

from penstock import (
    Consumed,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    option = Materialized(key=serdes.string(), value=serdes.string())
    tumbling = cogrouped.windowed_by(TimeWindows.of_size(10))
    tumbling.aggregate(lambda: "0", option).to_stream().to("w1")
    sliding = cogrouped.windowed_by(SlidingWindows.of_time_difference(10))
    sliding.aggregate(lambda: "0", option, named="sliding").to_stream().to("w2")
    sessions = cogrouped.windowed_by(SessionWindows.of_inactivity_gap(10))
    sessions.aggregate(
        lambda: "0", lambda key, one, other: f"({one}|{other})", option, named="sessions"
    ).to_stream().to("w3")
    sessions.aggregate(
        lambda: "0", lambda key, one, other: f"({one}|{other})", option
    ).to_stream().to("w4")
    return builder.build()
