"""Fifty records in disorder in sliding windows."""

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
    sums = (
        grouped.windowed_by(SlidingWindows.of_time_difference(12, grace=6))
        .emit_strategy(EmitStrategy.on_window_close())
        .aggregate(lambda: "0", lambda key, value, total: f"{total}+{value}", Materialized("sums"))
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()
