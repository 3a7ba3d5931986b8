"""If the handler goes on, the other results come out."""

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
from penstock.handlers import LogAndContinueProcessingExceptionHandler

CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def fail_on_two(count: int) -> str:
    if count == 2:
        raise ValueError("this is two")
    return str(count)


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = (
        grouped.windowed_by(TimeWindows.of_size(10))
        .emit_strategy(EmitStrategy.on_window_close())
        .count(Materialized("counts"))
    )
    shown = counts.to_stream().map_values(fail_on_two)
    shown.select_key(lambda key, count: str(key)).to("out")
    return builder.build()
