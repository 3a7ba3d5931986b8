"""The newest errors: few, each once."""

from __future__ import annotations

from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.control.recent_errors import KEPT_MAX, RecentErrors
from penstock._engine.metrics.record_failures import RecordFailure

FAILURE = WorkerFailure("ProcessingError", "gone", "trace")


def failed(offset: int, *, skipped: bool = True, at_ms: int = 0) -> RecordFailure:
    return RecordFailure("0_0", "map", "r", "E: x", offset=offset, skipped=skipped, at_ms=at_ms)


def test_the_newest_come_first_and_few_are_kept() -> None:
    errors = RecentErrors(lambda: 9)
    for offset in range(KEPT_MAX + 10):
        errors.take(Report("w", "running", record_failures=(failed(offset),)))
    newest = errors.newest()
    assert len(newest) == KEPT_MAX
    assert (newest[0].record or failed(-1)).offset == KEPT_MAX + 9
    assert errors.count == KEPT_MAX + 10


def test_the_record_that_ended_a_worker_is_one_error_with_its_failure() -> None:
    errors = RecentErrors(lambda: 9)
    records = (failed(1, at_ms=4), failed(2, skipped=False, at_ms=5))
    errors.take(Report("w", "failed", record_failures=records, failure=FAILURE))
    last, first = errors.newest()
    assert (last.record, last.failure, last.at_ms) == (records[1], FAILURE, 5)
    assert (first.record, first.failure, first.at_ms) == (records[0], None, 4)


def test_a_worker_that_was_lost_is_an_error_and_one_that_closed_is_none() -> None:
    errors = RecentErrors(lambda: 9)
    errors.take(Report("a", "lost"))
    errors.take(Report("b", "closed"))
    errors.take(Report("c", "running"))
    [one] = errors.newest()
    assert (one.worker, one.at_ms, one.record, one.failure) == ("a", 9, None, None)
