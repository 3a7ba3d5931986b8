"""The errors of an application by kind and place, in the driver: failed records, failed and lost
workers.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from penstock._clock import SystemClock
from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.metrics.record_failures import FailureKind, RecordFailure

KEPT_MAX = 200
"""How many kinds of errors are kept."""

_now_ms = SystemClock().now_ms

_Kind: TypeAlias = tuple[str | None, FailureKind | tuple[str | None, str | None]]
"""Of what ended a worker its kind; and the place."""


@dataclass(frozen=True, slots=True)
class SeenError:
    """The errors of one kind at one place; `number` counts the kinds of this driver."""

    number: int
    count: int
    first_ms: int
    at_ms: int
    """When the last one was; what follows is of that one."""
    worker: str
    record: RecordFailure | None = None
    """The record that failed, if there was one."""
    failure: WorkerFailure | None = None
    """What ended the worker, if it ended."""


class RecentErrors:
    """Counts errors by kind and place, and keeps the newest of each; any thread may call it."""

    def __init__(self, now_ms: Callable[[], int] = _now_ms) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._kept: dict[_Kind, SeenError] = {}
        """The newest is the last."""
        self._kinds = self._count = 0
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
        """Return what is kept, the kind that was seen last first."""
        with self._lock:
            return tuple(reversed(self._kept.values()))

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
        count = 1 if record is None else record.count
        self._count += count
        if record is not None:
            self._failed[record.node] += count
            self._skipped[record.node] += count * record.skipped
        at_ms = self._now_ms() if record is None or not record.at_ms else record.at_ms
        kind = _kind(record, failure)
        known = self._kept.pop(kind, None)
        if known is None:
            self._kinds += 1
            known = SeenError(self._kinds, 0, at_ms, at_ms, report.member_id)
            if len(self._kept) == KEPT_MAX:
                del self._kept[next(iter(self._kept))]
        self._kept[kind] = SeenError(
            known.number,
            known.count + count,
            known.first_ms,
            at_ms,
            report.member_id,
            record,
            failure,
        )


def _kind(record: RecordFailure | None, failure: WorkerFailure | None) -> _Kind:
    """Return what is alike in errors that are counted together."""
    ended = None if failure is None else failure.kind
    if record is not None:
        return ended, record.kind
    place = (failure and failure.place) or {}
    return ended, (place.get("node"), place.get("topic"))


def _is_of_failure(report: Report) -> bool:
    """Yes if the last failed record is what ended the worker: it is one error, not two."""
    return (
        report.failure is not None
        and bool(report.record_failures)
        and not report.record_failures[-1].skipped
    )
