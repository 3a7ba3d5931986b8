"""Starts that fail one after another are given up; those far apart are not."""

from __future__ import annotations

from penstock._engine.control.start_attempts import AGAIN_MAX, StartAttempts


def test_starts_that_fail_one_after_another_are_given_up() -> None:
    attempts = StartAttempts()
    told = [attempts.may_follow(at * 30.0) for at in range(AGAIN_MAX + 2)]
    assert told == [True] * AGAIN_MAX + [False, False]
    assert attempts.failed == AGAIN_MAX + 2


def test_starts_that_fail_now_and_then_are_followed_by_others() -> None:
    attempts = StartAttempts()
    assert all(attempts.may_follow(at * 500.0) for at in range(50))
    assert attempts.failed == 1
