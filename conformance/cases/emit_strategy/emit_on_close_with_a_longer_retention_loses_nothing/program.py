"""Windows that are kept longer come out after a jump of stream time."""

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
        .count(Materialized("counts", retention=2000))
    )
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()
