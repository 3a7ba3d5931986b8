"""The stores of windowed aggregations: how long they keep what, and whether they have a cache."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from penstock import (
    EmitStrategy,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StoreBuilder,
    StreamsBuilder,
    TimeWindows,
    TopologyError,
    UnlimitedWindows,
)
from penstock.windows import AnyWindows

ON_CLOSE = EmitStrategy.on_window_close()


def store(windows: AnyWindows, strategy: EmitStrategy | None = None, **option: Any) -> StoreBuilder:
    builder = StreamsBuilder()
    windowed = builder.stream("in").group_by_key().windowed_by(windows)
    if strategy is not None:
        windowed.emit_strategy(strategy)
    windowed.count(Materialized("counts", **option))
    return builder.build().stores["counts"]


@pytest.mark.parametrize(
    ("windows", "kind", "retention", "size"),
    [
        (TimeWindows.of_size(10, advance=5, grace=3), "timestamped_window", 13, 10),
        (UnlimitedWindows.of(), "timestamped_window", 2**63 - 1, 2**63 - 1),
        (SlidingWindows.of_time_difference(10, grace=3), "timestamped_window", 23, 10),
        (SessionWindows.of_inactivity_gap(10, grace=3), "session", 13, 0),
    ],
)
def test_what_is_kept_at_least(windows: AnyWindows, kind: str, retention: int, size: int) -> None:
    made = store(windows)
    assert made.times is not None
    assert (made.kind, made.engine, made.logged) == (kind, "rocksdb", True)
    assert (made.times.retention_ms, made.times.window_size_ms) == (retention, size)
    assert store(windows, retention=retention).times == made.times


def test_windows_may_be_kept_longer() -> None:
    made = store(TimeWindows.of_size(10), retention=timedelta(hours=1)).times
    assert made is not None
    assert made.retention_ms == 3_600_000


@pytest.mark.parametrize(
    ("windows", "retention", "why"),
    [
        (
            TimeWindows.of_size(10, grace=3),
            12,
            "at least 13 ms, the windows' size plus their grace",
        ),
        (
            SlidingWindows.of_time_difference(10, grace=3),
            22,
            "at least 23 ms, twice the windows' time difference plus their grace",
        ),
        (SessionWindows.of_inactivity_gap(10), 9, "at least 10 ms, the sessions' gap plus"),
    ],
)
def test_less_is_refused(windows: AnyWindows, retention: int, why: str) -> None:
    with pytest.raises(TopologyError, match=f"store 'counts': retention must be {why}"):
        store(windows, retention=retention)


def test_only_windows_of_time_keep_their_cache_when_results_come_on_close() -> None:
    for windows, cached, order in (
        (TimeWindows.of_size(10), True, "time"),
        (SlidingWindows.of_time_difference(10), False, "time_indexed"),
        (SessionWindows.of_inactivity_gap(10), False, "time_indexed"),
    ):
        on_update, on_close = store(windows), store(windows, ON_CLOSE)
        assert on_update.times is not None
        assert on_close.times is not None
        assert (on_update.cached, on_update.times.order) == (True, "key")
        assert (on_close.cached, on_close.times.order) == (cached, order)
        assert not store(windows, ON_CLOSE, caching=False).cached


def test_windows_have_no_versions() -> None:
    with pytest.raises(TopologyError, match="must have a store without versions"):
        store(TimeWindows.of_size(10), history_retention=10)
