"""A late record never makes others come out."""

from collections.abc import Callable

from penstock import (
    Consumed,
    EmitStrategy,
    Materialized,
    SlidingWindows,
    StreamsBuilder,
    Topology,
    serdes,
)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = (
        grouped.windowed_by(SlidingWindows.of_time_difference(5))
        .emit_strategy(EmitStrategy.on_window_close())
        .count(Materialized("counts"))
    )
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()
