"""A record for a window that came out is dropped, and the window does not come out again."""

from collections.abc import Callable

from penstock import (
    Consumed,
    EmitStrategy,
    Materialized,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = (
        grouped.windowed_by(TimeWindows.of_size(10))
        .emit_strategy(EmitStrategy.on_window_close())
        .count(Materialized("counts"))
    )
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()
