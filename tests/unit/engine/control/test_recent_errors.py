"""The newest errors: few, each once."""

from __future__ import annotations

from collections import Counter

from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.control.recent_errors import KEPT_MAX, RecentErrors
from penstock._engine.metrics.record_failures import RecordFailure

FAILURE = WorkerFailure("ProcessingError", "gone", "trace")


def failed(
    offset: int, error: str = "E: x", *, node: str = "map", skipped: bool = True, at_ms: int = 0,
    count: int = 1,
) -> RecordFailure:  # fmt: skip
    return RecordFailure(
        "0_0", node, "r", error, offset=offset, skipped=skipped, at_ms=at_ms, count=count
    )


def test_errors_of_a_kind_at_a_place_are_one_with_their_number_and_hide_no_other() -> None:
    errors = RecentErrors(lambda: 9)
    take(errors, failed(3, "ValueError: once", at_ms=1))
    for offset in range(40):
        take(errors, failed(offset, f"E: {offset}", at_ms=10 + offset))
    take(errors, failed(40, "E: 40", at_ms=50, count=60))
    many, once = errors.newest()
    assert (many.count, many.first_ms, many.at_ms) == (100, 10, 50)
    assert many.record is not None
    assert (many.record.offset, many.record.error) == (40, "E: 40")
    assert (once.count, once.first_ms, once.at_ms) == (1, 1, 1)
    assert errors.count == 101
    assert errors.of_nodes() == (Counter(map=101), Counter(map=101))
    take(errors, failed(5, node="other"))
    assert [one.number for one in errors.newest()] == [3, 2, 1]


def test_the_newest_kinds_come_first_and_few_are_kept() -> None:
    errors = RecentErrors(lambda: 9)
    for number in range(KEPT_MAX + 10):
        take(errors, failed(number, f"E{number}: x"))
    newest = errors.newest()
    assert len(newest) == KEPT_MAX
    assert (newest[0].record or failed(-1)).offset == KEPT_MAX + 9
    assert errors.count == KEPT_MAX + 10


def test_failures_of_workers_are_counted_by_kind_too() -> None:
    errors = RecentErrors(lambda: 9)
    for worker in "ab":
        errors.take(Report(worker, "failed", failure=FAILURE))
        errors.take(Report(worker, "lost"))
    errors.take(Report("c", "failed", failure=WorkerFailure("StreamsError", "x", "")))
    assert [
        (one.worker, one.count, one.failure and one.failure.kind) for one in errors.newest()
    ] == [
        ("c", 1, "StreamsError"),
        ("b", 2, None),
        ("b", 2, "ProcessingError"),
    ]


def take(errors: RecentErrors, *records: RecordFailure) -> None:
    errors.take(Report("w", "running", record_failures=records))


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
