"""A step is short enough for the group and for a transaction, whatever a function takes."""

from __future__ import annotations

from penstock._engine.kafka.tasks.pace import RECORDS_PER_STEP, Pace, is_due


def test_quick_records_are_processed_by_the_thousand() -> None:
    pace = Pace(300.0, 10.0)
    assert pace.limit() == RECORDS_PER_STEP
    pace.took(2000, 0.01, now=1.0)
    assert pace.limit() == RECORDS_PER_STEP
    assert pace.warning("f", 1.0) is None


def test_a_step_lasts_a_second_at_most_and_an_eighth_of_what_is_allowed() -> None:
    assert Pace(300.0, None).step_seconds == 1.0
    assert Pace(4.0, None).step_seconds == 0.5
    assert Pace(300.0, 4.0).step_seconds == 0.5


def test_the_slower_the_records_the_fewer_at_once() -> None:
    pace = Pace(300.0, 10.0)
    pace.took(10, 1.0, now=1.0)
    assert pace.limit() == 10
    pace.took(1, 2.0, now=3.0)
    assert pace.limit() == 1
    assert not pace.is_slow(3.0)


def test_after_a_moment_of_standing_still_it_soon_is_quick_again() -> None:
    pace = Pace(300.0, 10.0)
    pace.took(1, 2.0, now=1.0)
    for _ in range(15):
        pace.took(pace.limit(), 0.0, now=1.0)
    assert pace.limit() == RECORDS_PER_STEP


def test_where_a_record_may_outlast_a_transaction_each_step_is_committed_for_a_while() -> None:
    pace = Pace(300.0, 10.0)
    pace.took(1, 33.0, now=33.0)
    for _ in range(20):
        pace.took(pace.limit(), 0.0, now=34.0)
    assert pace.is_slow(34.0)
    assert pace.limit() == RECORDS_PER_STEP  # a backlog behind it is not held up
    assert not pace.is_slow(100.0)


def test_without_records_nothing_is_learnt() -> None:
    pace = Pace(300.0, None)
    pace.took(0, 100.0, now=1.0)
    assert pace.limit() == RECORDS_PER_STEP


def test_the_user_is_told_of_a_function_that_would_outlast_the_interval() -> None:
    pace = Pace(10.0, None)
    pace.took(10, 0.15, now=1.0)
    told = pace.warning("'slow' (app.py:3)", 1.0)
    assert told == (
        "function 'slow' (app.py:3) takes 0.015 s for each record; a step is cut short so that no "
        "work is lost"
    )
    assert pace.warning("'slow' (app.py:3)", 2.0) is None
    assert pace.warning("'slow' (app.py:3)", 100.0) is not None


def test_the_user_is_told_what_to_do_about_a_record_that_takes_longer_than_the_interval() -> None:
    pace = Pace(10.0, None)
    pace.took(1, 8.0, now=1.0)
    # The watch may not have seen the function yet: it is given a few steps.
    assert [pace.warning(None, 1.0) for _ in range(3)] == [None] * 3
    told = pace.warning(None, 1.0)
    assert told is not None
    assert "raise the setting" in told
    assert "'consumer.max.poll.interval.ms' (10 s)" in told


def test_a_function_behind_a_cache_runs_at_the_commit_which_then_takes_fewer_records() -> None:
    pace = Pace(8.0, None)
    pace.took(1500, 0.01, now=1.0)
    pace.flushed(15.0)
    assert pace.limit() == 100
    assert not pace.commit_is_full()
    pace.took(100, 0.001, now=2.0)
    assert pace.commit_is_full()
    assert pace.limit() == 1
    pace.flushed(1.0)
    assert not pace.commit_is_full()
    assert pace.warning("f", 3.0) is not None


def test_a_commit_of_nothing_teaches_nothing() -> None:
    pace = Pace(8.0, None)
    pace.flushed(100.0)
    assert pace.limit() == RECORDS_PER_STEP


def test_a_slow_record_behind_many_quick_ones_is_noticed() -> None:
    pace = Pace(300.0, 10.0)
    pace.took(601, 5.0, now=5.0)
    assert pace.is_slow(5.0)


def test_a_clock_that_is_set_back_puts_nothing_off() -> None:
    """After a jump back by an hour nothing was committed for an hour (tests/chaos, clock-jump)."""
    assert is_due(now_ms=1_000_000 - 3_600_000, last_ms=1_000_000, interval_ms=100)
    assert is_due(now_ms=1_000_100, last_ms=1_000_000, interval_ms=100)
    assert not is_due(now_ms=1_000_050, last_ms=1_000_000, interval_ms=100)
    # What is tried again in half a second is put off, though its interval is shorter.
    assert not is_due(now_ms=1_000_000, last_ms=1_000_400, interval_ms=100)
