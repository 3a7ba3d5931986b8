"""A window that never closes has no final result."""

from collections.abc import Callable

from penstock import (
    Consumed,
    EmitStrategy,
    Materialized,
    StreamsBuilder,
    Topology,
    UnlimitedWindows,
    serdes,
)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = (
        grouped.windowed_by(UnlimitedWindows.of())
        .emit_strategy(EmitStrategy.on_window_close())
        .count(Materialized("counts"))
    )
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()
