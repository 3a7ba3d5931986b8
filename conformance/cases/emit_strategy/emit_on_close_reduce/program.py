"""Final results of a reduction."""

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
    joined = (
        grouped.windowed_by(TimeWindows.of_size(10, grace=5))
        .emit_strategy(EmitStrategy.on_window_close())
        .reduce(lambda total, value: f"{total}+{value}", Materialized("joined"))
    )
    joined.to_stream(lambda key, value: str(key)).to("out")
    return builder.build()
