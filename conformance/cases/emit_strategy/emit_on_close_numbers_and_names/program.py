"""The strategy changes no names; keys of all kinds as bytes."""

from collections.abc import Callable

from penstock import (
    Consumed,
    EmitStrategy,
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
    grouped = builder.stream("in", text).group_by_key()
    on_close = EmitStrategy.on_window_close()
    grouped.windowed_by(TimeWindows.of_size(10)).emit_strategy(on_close).count().to_stream().to(
        "one"
    )
    sliding = grouped.windowed_by(SlidingWindows.of_time_difference(10)).emit_strategy(on_close)
    sliding.reduce(lambda one, other: other).to_stream().to("two")
    sessions = grouped.windowed_by(SessionWindows.of_inactivity_gap(10)).emit_strategy(on_close)
    sessions.count(Materialized("counts"), named="counting").to_stream().to("three")
    return builder.build()
