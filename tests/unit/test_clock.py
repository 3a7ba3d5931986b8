"""Clocks."""

from __future__ import annotations

import pytest

from penstock._clock import ManualClock, SystemClock


def test_a_manual_clock_moves_only_when_told_to() -> None:
    clock = ManualClock(100)
    assert clock.now_ms() == clock.now_ms() == 100
    clock.advance(5)
    assert clock.now_ms() == 105


def test_a_manual_clock_does_not_move_backwards() -> None:
    with pytest.raises(ValueError, match="must not move backwards; got -1 ms"):
        ManualClock().advance(-1)


def test_the_system_clock_counts_milliseconds_since_the_epoch() -> None:
    year_2020, year_2100 = 1_577_836_800_000, 4_102_444_800_000
    assert year_2020 < SystemClock().now_ms() < year_2100
