"""Open windows, and partitions that hold time back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import JoinWindows, SessionWindows, SlidingWindows, StreamsBuilder, TimeWindows
from penstock._engine.http.console.graph import windows_of
from penstock._engine.http.console.open_windows import TaskTime, held_back, open_windows
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
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


def shown(draw: Callable[[StreamsBuilder], Any]) -> list[dict[str, Any]]:
    builder = StreamsBuilder()
    draw(builder)
    topology = builder.build()
    plans = plan_subtopologies(topology, "app")
    topics = {topic for plan in plans for topic in plan.source_topics()}
    return windows_of(topology, plan_tasks(plans, dict.fromkeys(topics, 1)))


def test_sessions_and_sliding_windows_say_how_far_back_they_are_open() -> None:
    sessions = SessionWindows.of_inactivity_gap(300, grace=100)
    (one,) = shown(lambda b: b.stream("in").group_by_key().windowed_by(sessions).count())
    assert (one["kind"], one["gap"], one["open_ms"]) == ("session", 300, 400)
    sliding = SlidingWindows.of_time_difference(300, grace=100)
    (one,) = shown(lambda b: b.stream("in").group_by_key().windowed_by(sliding).count())
    assert (one["kind"], one["size"], one["open_ms"]) == ("sliding", 300, 100)


@pytest.mark.parametrize("verb", ["join", "left_join", "outer_join"])
def test_a_join_of_streams_is_shown_once(verb: str) -> None:
    within = JoinWindows.of_time_difference(50, after=20, grace=7)

    def draw(builder: StreamsBuilder) -> None:
        left: Any = builder.stream("left")
        getattr(left, verb)(builder.stream("right"), lambda one, other: one, within)

    (one,) = shown(draw)
    assert one["kind"] == "join"
    assert (one["before"], one["after"], one["grace"], one["open_ms"]) == (50, 20, 7, 57)
    assert open_windows(one, 1000) is None


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
