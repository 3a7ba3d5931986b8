"""How much state there is."""

from __future__ import annotations

import pytest

from penstock import TimeWindows
from penstock.capacity import (
    global_table,
    hopping_factor,
    join_state,
    session_state,
    standby,
    table_state,
    window_state,
)


def test_a_table_has_a_row_for_each_key() -> None:
    assert table_state(keys=10, key_bytes=4, value_bytes=8).bytes == 10 * (4 + 8 + 8)


def test_an_aggregate_grows_with_keys_and_windows_not_with_records() -> None:
    tumbling = window_state(keys=100, key_bytes=4, value_bytes=8, window_size_ms=3_600_000)
    assert (tumbling.retention_ms, tumbling.windows) == (3_600_000, 1)
    # Half a segment of half an hour on average, a whole one at most.
    assert (tumbling.kept_windows, tumbling.rows) == (1.25, 125)
    assert tumbling.bytes == 125 * (4 + 20 + 8 + 8)
    assert tumbling.bytes_at_most == 100 * 2 * 40


def test_hopping_windows_have_as_many_rows_more_as_windows_overlap() -> None:
    size, advance = 300_000, 60_000
    tumbling = window_state(keys=100, key_bytes=4, value_bytes=8, window_size_ms=size)
    hopping = window_state(
        keys=100, key_bytes=4, value_bytes=8, window_size_ms=size, advance_ms=advance
    )
    factor = hopping_factor(window_size_ms=size, advance_ms=advance).windows_per_record
    assert hopping.rows == factor * tumbling.rows
    windows = TimeWindows.of_size(size, advance=advance)
    assert factor == len(list(windows.windows_for(1_690_000_050_000)))


def test_retention_may_be_longer_than_needed() -> None:
    state = window_state(
        keys=1, key_bytes=1, value_bytes=1, window_size_ms=60_000, retention_ms=600_000
    )
    assert (state.retention_ms, state.windows) == (600_000, 10)


def test_sessions() -> None:
    state = session_state(
        sessions_per_second=2, key_bytes=4, value_bytes=8, inactivity_gap_ms=600_000
    )
    assert state.rows == 2 * (600 + 150)
    assert state.bytes_at_most == 2 * (600 + 300) * (4 + 24 + 8 + 8)


def test_a_join_keeps_every_record_and_matches_equal_keys() -> None:
    state = join_state(
        left_per_second=100,
        right_per_second=50,
        before_ms=60_000,
        after_ms=120_000,
        grace_ms=60_000,
        record_bytes=80,
        keys=1000,
    )
    assert state.retention_ms == 240_000
    assert (state.left_rows, state.right_rows) == (100 * 300, 50 * 300)
    assert state.bytes == 150 * 300 * 100
    assert state.results_per_second == 100 * 50 * 180 / 1000


def test_copies() -> None:
    assert standby(state_bytes=5, replicas=2, changelog_bytes_per_second=3).disk_bytes == 15
    assert global_table(rows=10, key_bytes=1, value_bytes=1, workers=3).bytes == 300


@pytest.mark.parametrize("keys", [-1, float("nan")])
def test_what_cannot_be_is_refused(keys: float) -> None:
    with pytest.raises(ValueError, match="keys must not be negative"):
        table_state(keys=keys, key_bytes=1, value_bytes=1)
