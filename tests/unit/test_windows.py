"""The kinds of windows: their arithmetic, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import (
    JoinWindows,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    TopologyError,
    UnlimitedWindows,
    Window,
    Windowed,
)

SECOND = timedelta(seconds=1)


def test_durations_are_timedeltas_or_milliseconds() -> None:
    assert TimeWindows.of_size(SECOND, grace=SECOND, advance=SECOND / 2) == TimeWindows.of_size(
        1000, grace=1000, advance=500
    )
    assert SlidingWindows.of_time_difference(SECOND) == SlidingWindows(1000, 0)
    assert SessionWindows.of_inactivity_gap(SECOND, grace=2 * SECOND) == SessionWindows(1000, 2000)
    assert JoinWindows.of_time_difference(SECOND, before=0) == JoinWindows(0, 1000, 0)


def test_a_tumbling_window_is_as_long_as_its_advance() -> None:
    windows = TimeWindows.of_size(60_000)
    assert windows.advance_ms == 60_000
    assert windows.windows_for(1_690_000_050_000) == [Window(1_690_000_020_000, 1_690_000_080_000)]
    assert windows.most_windows_for_one == 1


@pytest.mark.parametrize(
    ("timestamp", "starts"), [(0, [0]), (3, [0]), (5, [0, 5]), (7, [0, 5]), (12, [5, 10])]
)
def test_hopping_windows_begin_at_multiples_of_the_advance(
    timestamp: int, starts: list[int]
) -> None:
    windows = TimeWindows.of_size(10, advance=5)
    assert [window.start for window in windows.windows_for(timestamp)] == starts
    assert windows.most_windows_for_one == 2


@given(st.integers(1, 50), st.integers(1, 50), st.integers(0, 500))
def test_a_time_is_in_all_windows_that_hold_it_and_no_others(
    one: int, other: int, timestamp: int
) -> None:
    size, advance = max(one, other), min(one, other)
    windows = TimeWindows.of_size(size, advance=advance)
    every = [Window(start, start + size) for start in range(0, timestamp + 1, advance)]
    holding = [window for window in every if window.start <= timestamp < window.end]
    assert windows.windows_for(timestamp) == holding
    assert 1 <= len(holding) <= windows.most_windows_for_one


def test_the_unlimited_window_holds_everything_from_its_start() -> None:
    windows = UnlimitedWindows.of(start=100)
    assert windows.windows_for(99) == []
    assert windows.windows_for(100) == windows.windows_for(10**15) == [Window(100, 2**63 - 1)]
    assert windows.most_windows_for_one == 1
    assert windows.close_time(Window(100, 2**63 - 1)) == 2**63 - 1


def test_the_close_time_is_when_records_become_late() -> None:
    window = Windowed("key", 0, 10)
    assert TimeWindows.of_size(10, grace=5).close_time(window) == 15
    assert SlidingWindows.of_time_difference(10, grace=5).close_time(window) == 16
    assert SessionWindows.of_inactivity_gap(10, grace=5).close_time(window) == 26
    assert JoinWindows.of_time_difference(10, grace=5).close_time(window) == 16


def test_sliding_windows_end_with_a_record_or_begin_after_one() -> None:
    windows = SlidingWindows.of_time_difference(10)
    assert windows.windows_of([]) == []
    assert windows.windows_of([15, 12, 15]) == [Window(2, 12), Window(5, 15), Window(13, 23)]
    assert windows.windows_of([3, 5]) == [Window(0, 10), Window(4, 14)]
    assert windows.windows_of([10, 21]) == [Window(0, 10), Window(11, 21)]


def test_sessions_are_bursts_of_records() -> None:
    windows = SessionWindows.of_inactivity_gap(5)
    assert windows.windows_of([]) == []
    assert windows.windows_of([11, 0, 5]) == [Window(0, 5), Window(11, 11)]
    assert windows.windows_for(5, among=[0, 10, 16]) == [Window(0, 10)]


def test_a_join_window_reaches_from_before_to_after() -> None:
    windows = JoinWindows.of_time_difference(10, before=3, after=-1)
    assert (windows.before_ms, windows.after_ms, windows.size_ms) == (3, -1, 2)
    assert windows.windows_for(100) == [Window(97, 99)]
    assert JoinWindows.of_time_difference(10).windows_for(4) == [Window(0, 14)]


@pytest.mark.parametrize(
    "windows",
    [
        TimeWindows.of_size(1),
        SlidingWindows.of_time_difference(1),
        SessionWindows.of_inactivity_gap(1),
        UnlimitedWindows.of(),
        JoinWindows.of_time_difference(1),
    ],
)
def test_windows_are_values_and_can_be_shipped(windows: object) -> None:
    assert pickle.loads(pickle.dumps(windows)) == windows
    assert {windows: 1}[windows] == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TimeWindows.of_size(0), "size must be at least 1 ms; got 0"),
        (lambda: TimeWindows.of_size(-SECOND), "size must be at least 1 ms; got -1 day"),
        (lambda: TimeWindows.of_size(SECOND / 10_000), "got 0:00:00.000100"),
        (lambda: TimeWindows.of_size(cast("int", "5s")), "or whole milliseconds; got '5s'"),
        (lambda: TimeWindows.of_size(2**63), "must be less than"),
        (lambda: TimeWindows.of_size(10, advance=0), "advance must be at least 1 ms; got 0"),
        (lambda: TimeWindows.of_size(10, advance=11), "must be at most the size, 10 ms.*got 11"),
        (lambda: TimeWindows.of_size(10, grace=-1), "grace must not be negative; got -1"),
        (lambda: SlidingWindows.of_time_difference(0), "difference must be at least 1 ms; got 0"),
        (lambda: SlidingWindows.of_time_difference(1, grace=-1), "grace must not be negative"),
        (lambda: SessionWindows.of_inactivity_gap(-1), "gap must not be negative; got -1"),
        (lambda: SessionWindows.of_inactivity_gap(1, grace=-1), "grace must not be negative"),
        (lambda: UnlimitedWindows.of(start=-1), "start must be milliseconds since 1970.*got -1"),
        (lambda: UnlimitedWindows.of(start=True), "got True"),
        (lambda: JoinWindows.of_time_difference(-1), "difference must not be negative; got -1"),
        (lambda: JoinWindows.of_time_difference(1, grace=-1), "grace must not be negative"),
        (
            lambda: JoinWindows.of_time_difference(1, before=-2),
            "together must not be negative; got before -2 ms and after 1 ms",
        ),
    ],
)
def test_impossible_windows_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        make()


@pytest.mark.parametrize(
    ("ask", "ours"),
    [
        (lambda: TimeWindows.ofSizeWithNoGrace, "TimeWindows.of_size(size)"),  # type: ignore[attr-defined]
        (lambda: TimeWindows.of_size(1).advanceBy, "TimeWindows.of_size(size, advance=...)"),  # type: ignore[attr-defined]
        (lambda: UnlimitedWindows.of().startOn, "UnlimitedWindows.of(start=...)"),  # type: ignore[attr-defined]
        (lambda: JoinWindows.of, "JoinWindows.of_time_difference(difference)"),  # type: ignore[attr-defined]
    ],
)
def test_java_s_names_are_answered_with_ours(ask: Callable[[], object], ours: str) -> None:
    with pytest.raises(AttributeError, match="in Python it is spelled") as caught:
        ask()
    assert str(caught.value).endswith(ours)


@pytest.mark.parametrize(
    "make",
    [
        lambda: TimeWindows(10, 0, 0),
        lambda: TimeWindows(10, 20, 0),
        lambda: TimeWindows(10, 10, -1),
        lambda: TimeWindows(size_ms=0, advance_ms=0, grace_ms=0),
        lambda: SlidingWindows(0, 0),
        lambda: SessionWindows(-1, 0),
        lambda: UnlimitedWindows(-1),
        lambda: JoinWindows(5, -6, 0),
        lambda: replace(TimeWindows.of_size(10), advance_ms=-3),
    ],
)
def test_windows_that_cannot_be_are_refused_however_they_are_made(make: Any) -> None:
    with pytest.raises(TopologyError, match="must be made by one of its methods"):
        make()
