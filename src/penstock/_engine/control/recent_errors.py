"""The newest errors of an application, in the driver: failed records, failed and lost workers."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from penstock._clock import SystemClock
from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.metrics.record_failures import RecordFailure

KEPT_MAX = 200

_now_ms = SystemClock().now_ms


@dataclass(frozen=True, slots=True)
class SeenError:
    """One error; `number` counts all of this driver."""

    number: int
    at_ms: int
    worker: str
    record: RecordFailure | None = None
    """The record that failed, if there was one."""
    failure: WorkerFailure | None = None
    """What ended the worker, if it ended."""


class RecentErrors:
    """Keeps the newest errors; any thread may call it."""

    def __init__(self, now_ms: Callable[[], int] = _now_ms) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._kept: deque[SeenError] = deque(maxlen=KEPT_MAX)
        self._count = 0
        self._failed = Counter[str]()
        self._skipped = Counter[str]()

    def take(self, report: Report) -> None:
        """Take a report, each once."""
        if not report.record_failures and report.failure is None and report.state != "lost":
            return
        records = list(report.record_failures)
        fatal = records.pop() if _is_of_failure(report) else None
        with self._lock:
            for record in records:
                self._keep(report, record, None)
            if report.failure is not None or report.state == "lost":
                self._keep(report, fatal, report.failure)

    def newest(self) -> tuple[SeenError, ...]:
        """Return what is kept, newest first."""
        with self._lock:
            return tuple(reversed(self._kept))

    @property
    def count(self) -> int:
        """How many there were since the start."""
        return self._count

    def of_nodes(self) -> tuple[Counter[str], Counter[str]]:
        """Return how many records have failed at each node since the start, and how many of these
        were skipped: the counters of dropped records have those, too.
        """
        with self._lock:
            return self._failed.copy(), self._skipped.copy()

    def _keep(
        self, report: Report, record: RecordFailure | None, failure: WorkerFailure | None
    ) -> None:
        self._count += 1
        if record is not None:
            self._failed[record.node] += 1
            self._skipped[record.node] += record.skipped
        at_ms = self._now_ms() if record is None or not record.at_ms else record.at_ms
        self._kept.append(SeenError(self._count, at_ms, report.member_id, record, failure))


def _is_of_failure(report: Report) -> bool:
    """Yes if the last failed record is what ended the worker: it is one error, not two."""
    return (
        report.failure is not None
        and bool(report.record_failures)
        and not report.record_failures[-1].skipped
    )
