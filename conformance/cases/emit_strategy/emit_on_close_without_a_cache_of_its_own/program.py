"""A table without a cache in an application with one."""

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

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = (
        grouped.windowed_by(TimeWindows.of_size(10, grace=5))
        .emit_strategy(EmitStrategy.on_window_close())
        .count(Materialized("counts", caching=False))
    )
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()
