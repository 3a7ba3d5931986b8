"""With `dsl.store.format=HEADERS` what leaves a cache has the headers of the record that wrote it,
but a session has none; changelogs have none of what is put.
"""

from collections.abc import Callable
from typing import Any

from penstock import (
    EmitStrategy,
    KTable,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    Topology,
)

CONFIG = {"dsl.store.format": "HEADERS", "statestore.cache.max.bytes": 10_000}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    closing = EmitStrategy.on_window_close()

    def reduced(windows: Any, name: str) -> None:
        windows.reduce(lambda one, other: one + other, Materialized(name)).to_stream().map(
            lambda key, value: (f"{key.key}@{key.start}-{key.end}", value)
        ).to(name)

    reduced(grouped.windowed_by(TimeWindows.of_size(10)), "tumbling")
    reduced(grouped.windowed_by(SlidingWindows.of_time_difference(10)), "sliding")
    reduced(grouped.windowed_by(SessionWindows.of_inactivity_gap(10)), "sessions")
    reduced(grouped.windowed_by(TimeWindows.of_size(10)).emit_strategy(closing), "closed")
    reduced(
        grouped.windowed_by(SlidingWindows.of_time_difference(10)).emit_strategy(closing),
        "closed-sliding",
    )
    reduced(
        grouped.windowed_by(SessionWindows.of_inactivity_gap(10)).emit_strategy(closing),
        "closed-sessions",
    )
    rows: KTable[str, str] = builder.table("rows", materialized=Materialized("rows"))
    rows.to_stream().to("changes")
    return builder.build()
