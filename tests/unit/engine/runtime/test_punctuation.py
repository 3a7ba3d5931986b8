"""Timers: when they are due."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.runtime.punctuation import Punctuations, Schedule
from penstock._engine.topology.nodes.stream_nodes import PassThrough, ProcessorNode

NODE = ProcessorNode("n", PassThrough(), (), None)


def timers() -> Punctuations:
    def fire(schedule: Schedule, now: int) -> None:
        schedule.callback(now)

    return Punctuations(fire)


def fired(
    due: int, interval: int, times: list[int], *, anchored_now_ms: int | None = None
) -> list[int]:
    """Return the times at which a timer fires if it is checked at `times`."""
    seen: list[int] = []
    opened = timers()
    opened.add(Schedule(NODE, due, interval, seen.append), anchored_now_ms=anchored_now_ms)
    for time in times:
        opened.fire_due(time)
    return seen


def test_the_example_of_the_semantics() -> None:
    assert fired(0, 10, [25, 28, 31, 60]) == [25, 31, 60]


def test_missed_ticks_are_left_out_and_the_phase_is_kept() -> None:
    assert fired(0, 10, [25, 29, 30, 60, 69, 70]) == [25, 30, 60, 70]


def test_at_most_once_per_check() -> None:
    assert fired(0, 1, [1000]) == [1000]


def test_due_exactly_now_is_due() -> None:
    assert fired(5, 10, [4, 5]) == [5]


@pytest.mark.parametrize(
    ("start", "now", "first"),
    [(100, 30, 100), (0, 30, 40), (5, 30, 35), (30, 30, 30), (20, 30, 40)],
)
def test_an_anchored_timer_begins_at_its_start_or_at_the_next_tick_after_now(
    start: int, now: int, first: int
) -> None:
    assert fired(start, 10, list(range(now, 200)), anchored_now_ms=now)[0] == first


@given(st.integers(0, 50), st.integers(1, 20), st.lists(st.integers(0, 300)).map(sorted))
def test_a_timer_fires_when_a_tick_lies_between_two_checks(
    due: int, interval: int, times: list[int]
) -> None:
    ticks = range(due, 301, interval)
    expected, last = [], -1
    for time in times:
        if any(last < tick <= time for tick in ticks):
            expected.append(time)
            last = time
    assert fired(due, interval, times) == expected


def test_timers_fire_by_due_time() -> None:
    seen: list[str] = []
    opened = timers()

    def add(name: str, due: int) -> None:
        opened.add(Schedule(NODE, due, 100, lambda now: seen.append(name)), anchored_now_ms=None)

    add("late", 9)
    add("early", 3)
    add("middle", 5)
    assert opened.fire_due(10) == 3
    assert seen == ["early", "middle", "late"]


def cancelling(cancel_at: int) -> tuple[list[int], Punctuations]:
    seen: list[int] = []
    opened = timers()

    def tick(now: int) -> None:
        seen.append(now)
        if now == cancel_at:
            schedule.cancel()

    schedule = Schedule(NODE, 0, 10, tick)
    opened.add(schedule, anchored_now_ms=None)
    return seen, opened


def test_a_timer_may_cancel_itself() -> None:
    seen, opened = cancelling(cancel_at=10)
    assert [opened.fire_due(time) for time in (0, 10, 20, 30)] == [1, 1, 0, 0]
    assert seen == [0, 10]


def test_a_timer_may_cancel_another_that_is_due() -> None:
    seen: list[str] = []
    opened = timers()
    second = Schedule(NODE, 2, 10, lambda now: seen.append("second"))

    def first(now: int) -> None:
        seen.append("first")
        second.cancel()

    opened.add(Schedule(NODE, 1, 10, first), anchored_now_ms=None)
    opened.add(second, anchored_now_ms=None)
    assert opened.fire_due(5) == 1
    assert seen == ["first"]


def test_a_timer_may_add_another_that_is_due_at_once() -> None:
    seen: list[str] = []
    opened = timers()

    def first(now: int) -> None:
        seen.append("first")
        added = Schedule(NODE, 0, 100, lambda now: seen.append("added"))
        opened.add(added, anchored_now_ms=None)

    opened.add(Schedule(NODE, 0, 100, first), anchored_now_ms=None)
    assert opened.fire_due(5) == 2
    assert seen == ["first", "added"]
