"""What is said of a store: how long it keeps what, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from penstock import StoreBuilder, Stores, TopologyError, serdes
from penstock.stores._builders import (
    join_store_builder,
    outer_join_store_builder,
    versioned_store_builder,
    window_store_builder,
)

TEXT = serdes.string()
SERDES: dict[str, Any] = {"key": TEXT, "value": TEXT}


def windows(**options: Any) -> StoreBuilder:
    given = {"retention": 100, "window_size": 10, **SERDES, **options}
    return Stores.persistent_window_store("s", **given)


@pytest.mark.parametrize(
    ("retention", "interval"), [(0, 60_000), (119_999, 60_000), (120_002, 60_001)]
)
def test_segments_are_half_the_retention_but_not_too_short(retention: int, interval: int) -> None:
    times = windows(retention=retention, window_size=0).times
    assert times is not None
    assert times.segment_interval_ms == interval


@pytest.mark.parametrize(
    ("history", "interval"),
    [
        (0, 2_000),
        (60_000, 20_000),
        (60_001, 20_000),
        (300_000, 60_000),
        (3_600_000, 300_000),
        (3_600_001, 300_000),
        (24 * 3_600_000, 3_600_000),
    ],
)
def test_the_longer_the_history_the_more_segments(history: int, interval: int) -> None:
    times = versioned_store_builder("s", TEXT, TEXT, history_retention_ms=history).times
    assert times is not None
    assert times.segment_interval_ms == interval


def test_durations_are_timedeltas_or_milliseconds() -> None:
    times = windows(retention=timedelta(seconds=9), window_size=timedelta(seconds=2)).times
    assert times is not None
    assert (times.retention_ms, times.window_size_ms) == (9_000, 2_000)


def test_duplicates_are_never_cached() -> None:
    assert windows(caching=True).cached
    assert not windows(caching=True, retain_duplicates=True).cached


def test_the_user_cannot_have_joined_records_compacted() -> None:
    store = join_store_builder(
        "s",
        TEXT,
        TEXT,
        retention_ms=9,
        window_size_ms=9,
        logging={"cleanup.policy": "compact", "segment.ms": "1"},
    )
    assert store.changelog_settings == {"cleanup.policy": "delete", "segment.ms": "1"}
    assert not join_store_builder(
        "s", TEXT, TEXT, retention_ms=9, window_size_ms=9, logging=False
    ).logged


def test_an_outer_join_has_the_serdes_of_both_sides() -> None:
    store = outer_join_store_builder("s", TEXT, TEXT, serdes.long())
    assert (store.value, store.other_value, store.cached) == (TEXT, serdes.long(), False)


REFUSED: list[tuple[Callable[[], object], str]] = [
    (
        lambda: windows(retention=9),
        "store 's': retention must not be shorter than the window size; got retention=9 ms, "
        "window_size=10 ms; a window must be kept at least as long as it lasts",
    ),
    (
        lambda: windows(retention=-1),
        "store 's': retention must not be negative; got -1 ms; pass a timedelta or whole "
        "milliseconds",
    ),
    (
        lambda: windows(window_size=timedelta(seconds=-1)),
        "store 's': window_size must not be negative; got -1000 ms; pass a timedelta or whole "
        "milliseconds",
    ),
    (
        lambda: windows(retention="1h"),
        "store 's': retention must be a timedelta or whole milliseconds; got '1h'",
    ),
    (
        lambda: Stores.in_memory_session_store("s", retention=-5, **SERDES),
        "store 's': retention must not be negative; got -5 ms; pass a timedelta or whole "
        "milliseconds",
    ),
    (
        lambda: Stores.versioned_key_value_store("s", history_retention=-5, **SERDES),
        "store 's': history_retention must not be negative; got -5 ms; pass a timedelta or whole "
        "milliseconds",
    ),
    (
        lambda: Stores.versioned_key_value_store(
            "s", history_retention=5, segment_interval=0, **SERDES
        ),
        "store 's': segment_interval must be at least 1 ms; got 0 ms; leave it out for one that "
        "fits the history",
    ),
    (
        lambda: Stores.lru_map("s", max_entries=0, **SERDES),
        "store 's': max_entries must be a whole number, at least 1; got 0; pass how many keys the "
        "store may hold",
    ),
    (
        lambda: window_store_builder(
            "s",
            TEXT,
            TEXT,
            retention_ms=9,
            window_size_ms=9,
            logging={"retention.ms": 5},  # type: ignore[dict-item]
        ),
        "a changelog topic's settings must be str: str; got 'retention.ms': 5",
    ),
]


@pytest.mark.parametrize(("build", "message"), REFUSED, ids=[text for _, text in REFUSED])
def test_what_cannot_be_is_refused_when_it_is_said(
    build: Callable[[], object], message: str
) -> None:
    with pytest.raises(TopologyError) as refusal:
        build()
    assert message in str(refusal.value)
