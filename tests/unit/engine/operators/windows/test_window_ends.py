"""When the next window can end: never later than one does."""

from __future__ import annotations

from random import Random

from penstock._engine.operators.windows.window_ends import AlignedEnds, CountedEnds
from penstock.windows import END_OF_TIME


def test_windows_of_time_end_at_known_times() -> None:
    ends = AlignedEnds(10, 4)
    assert ends.due == 10
    for close, due in [(3, 10), (9, 10), (10, 14), (13, 14), (14, 18), (100, 102), (102, 106)]:
        ends.passed(close)
        assert ends.due == due


def test_after_a_restart_windows_of_time_go_on_behind_what_has_come_out() -> None:
    ends = AlignedEnds(10, 10)
    ends.start(-1)
    assert ends.due == 10
    ends.start(25)
    assert ends.due == 30


def test_without_windows_none_is_due() -> None:
    ends = CountedEnds(100, 0, latest_end=lambda: -1)
    ends.start(-1)
    ends.passed(50)
    assert ends.due > END_OF_TIME - 1
    ends.add(70)
    assert ends.due == 71
    ends.passed(71)
    assert ends.due > END_OF_TIME - 1


def test_a_window_that_is_removed_is_not_looked_for() -> None:
    ends = CountedEnds(100, 0, latest_end=lambda: -1)
    ends.start(-1)
    ends.add(70)
    ends.remove(70)
    ends.add(80)
    ends.passed(60)
    assert ends.due == 81


def test_up_to_what_was_stored_before_the_start_every_time_is_due() -> None:
    ends = CountedEnds(100, 0, latest_end=lambda: 40)
    ends.start(20)
    assert ends.due == 21
    ends.remove(30)
    ends.passed(35)
    assert ends.due == 36
    ends.passed(41)
    assert ends.due > END_OF_TIME - 1


def test_one_session_that_goes_on_for_ever_keeps_few_buckets() -> None:
    ends = CountedEnds(3_600_000, 0, latest_end=lambda: -1)
    ends.start(-1)
    ends.add(0)
    for end in range(1, 200_000, 7):
        ends.remove(end - 7)
        ends.add(end)
        if end - 1_000 >= ends.due:
            ends.passed(end - 1_000)
    assert len(ends._buckets) == len(ends._counts) <= 60


def test_no_end_comes_before_the_time_that_is_told() -> None:
    for seed in range(200):
        random = Random(seed)
        known_from = random.choice([-1, 300])
        old = [random.randint(0, known_from) for _ in range(5)] if known_from > 0 else []
        ends = CountedEnds(random.choice([1, 50, 5_000, 500_000]), 0, latest_end=lambda: known_from)  # noqa: B023
        ends.start(-1)
        stored, close = list(old), 0
        for _ in range(300):
            if stored and random.random() < 0.4:
                removed = stored.pop(random.randrange(len(stored)))
                ends.remove(removed)
            else:
                stored.append(close + random.randint(0, 2_000))
                ends.add(stored[-1])
            close += random.choice([0, 1, 5, 400])
            if close >= ends.due:
                stored = [end for end in stored if end >= close]
                ends.passed(close)
            assert all(end >= close for end in stored)
