"""With `dsl.store.format=HEADERS` windows and sessions keep no headers of records, as they are
updated, emitted on close, and merged.
"""

from collections.abc import Callable
from typing import Any

from penstock import (
    EmitStrategy,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    Topology,
)

CONFIG = {"dsl.store.format": "HEADERS"}


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
    return builder.build()
