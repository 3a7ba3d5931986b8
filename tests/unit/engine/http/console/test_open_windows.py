"""Open windows, and partitions that hold time back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import TimeWindows
from penstock._engine.http.console.open_windows import TaskTime, held_back, open_windows
from penstock.windows import Window


def facts(size: int, advance: int, grace: int) -> dict[str, Any]:
    return {"size": size, "advance": advance, "grace": grace}


@given(
    size=st.integers(1, 20),
    hop=st.integers(1, 20),
    grace=st.integers(0, 30),
    time=st.integers(0, 200),
)
def test_open_windows_are_those_that_take_records(
    size: int, hop: int, grace: int, time: int
) -> None:
    advance = min(hop, size)
    windows = TimeWindows.of_size(size, advance=advance, grace=grace)
    every = [Window(start, start + size) for start in range(0, time + 1, advance)]
    still_open = [one for one in every if windows.close_time(one) > time]
    count, closes = open_windows(facts(size, advance, grace), time) or (None, None)
    assert count == len(still_open)
    if still_open:
        assert closes == windows.close_time(still_open[0])


@pytest.mark.parametrize("kind", [{"size": 5, "advance": None}, {"gap": 5}, {"size": None}])
def test_without_rows_sessions_and_sliding_windows_are_not_known(kind: dict[str, Any]) -> None:
    assert open_windows({**kind, "grace": 0}, 100) is None


def time_of(task: str, stream_time: int | None, lag: int, **idle: float) -> TaskTime:
    partition = int(task.partition("_")[2])
    places = {(topic, partition): seconds for topic, seconds in idle.items()}
    return TaskTime(task, int(task[0]), stream_time, lag, places)


def test_an_idle_partition_of_a_windowed_program_is_named() -> None:
    times = [time_of("1_0", 100_000, 0, orders=0.0), time_of("1_1", 20_000, 0, orders=40.0)]
    assert held_back(times, frozenset({1})) == [
        {
            "task": "1_1",
            "topic": "orders",
            "partition": 1,
            "idle_seconds": 40,
            "behind_ms": 80_000,
        }
    ]
    assert held_back(times, frozenset()) == []


def test_a_quiet_input_beside_a_busy_one_holds_nothing_back() -> None:
    times = [time_of("1_0", 5, 70, left=0.0, right=12.0), time_of("1_1", 90_000, 0, left=0.0)]
    assert held_back(times, frozenset({1})) == []


def test_tasks_that_are_all_idle_or_keep_up_hold_nothing_back() -> None:
    times = [
        time_of("1_0", 100_000, 0, orders=60.0),
        time_of("1_1", 99_000, 0, orders=60.0),
        time_of("1_2", None, 0, orders=60.0),
        time_of("1_3", 10_000, 0, orders=1.0),
    ]
    assert held_back(times, frozenset({1})) == []
