"""Each window comes out once, when it takes no more records."""

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
    sums = (
        grouped.windowed_by(TimeWindows.of_size(10))
        .emit_strategy(EmitStrategy.on_window_close())
        .aggregate(lambda: "0", lambda key, value, total: f"{total}+{value}", Materialized("sums"))
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()
