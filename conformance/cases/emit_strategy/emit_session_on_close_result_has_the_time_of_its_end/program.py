"""A final session has the time of its end and the headers of the record that closed it."""

from collections.abc import Callable

from penstock import (
    Consumed,
    EmitStrategy,
    Materialized,
    SessionWindows,
    StreamsBuilder,
    Topology,
    serdes,
)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = (
        grouped.windowed_by(SessionWindows.of_inactivity_gap(5))
        .emit_strategy(EmitStrategy.on_window_close())
        .count(Materialized("counts"))
    )
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()
