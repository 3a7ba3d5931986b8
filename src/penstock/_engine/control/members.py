"""The last report of each worker, and whether the membership has changed since a look at it.

Workers report four times a second each, so what depends on all of them (standbys, whether the
application runs) is computed again only when `version` has changed: a worker came or ended, its
tasks or their states changed, it joined the group, its state moved to another machine.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace

from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.standby_assignment import assign_standbys
from penstock._engine.control.status import GONE
from penstock._engine.metrics.rows import MetricRow


class Members:
    """The workers of one instance; any thread may call it."""

    def __init__(self) -> None:
        self._reports: dict[str, Report] = {}
        self._lock = threading.Lock()
        self._version = 0
        self._metrics: dict[str, tuple[MetricRow, ...]] = {}
        self._failed = 0
        self._standbys: tuple[object, Mapping[str, tuple[str, ...]]] = (None, {})

    @property
    def version(self) -> int:
        """A number that grows when the membership changes."""
        return self._version

    def reports(self) -> dict[str, Report]:
        """Return the last report of each worker."""
        with self._lock:
            return dict(self._reports)

    def alive(self) -> list[Report]:
        """Return the last reports of the workers that have not ended."""
        with self._lock:
            return [report for report in self._reports.values() if report.state not in GONE]

    def take(self, report: Report) -> None:
        """Replace the last report of a worker."""
        with self._lock:
            self._put(report)

    def lost(self, last: Report) -> Report | None:
        """Mark a worker whose connection has ended as lost; None if it had ended before."""
        with self._lock:
            known = self._reports.get(last.member_id)
            if known is None or known.pid != last.pid or known.state in GONE:
                return None
            lost = replace(
                known, state="lost", tasks={}, printed=(), restore_events=(), record_failures=()
            )
            self._put(lost)
            return lost

    @property
    def failed(self) -> int:
        """How many workers have failed or died."""
        return self._failed

    def metrics(self) -> dict[str, tuple[MetricRow, ...]]:
        """Return the last metrics of the workers that have not ended."""
        with self._lock:
            return dict(self._metrics)

    def forget_alive(self) -> None:
        """Forget the workers that have not ended: their query has."""
        with self._lock:
            self._reports = {
                name: report for name, report in self._reports.items() if report.state in GONE
            }
            self._metrics.clear()
            self._version += 1

    def standbys(self, tasks: tuple[str, ...], replicas: int) -> Mapping[str, tuple[str, ...]]:
        """Return the tasks of which each worker keeps copies, by member id."""
        if not replicas:
            return {}
        with self._lock:
            asked = self._version, tasks, replicas
            if self._standbys[0] != asked:
                self._standbys = asked, assign_standbys(tasks, self._reports, replicas)
            return self._standbys[1]

    def standbys_of(self, member_id: str, tasks: tuple[str, ...], replicas: int) -> tuple[str, ...]:
        """Return the tasks of which a worker keeps copies."""
        return self.standbys(tasks, replicas).get(member_id, ())

    def _put(self, report: Report) -> None:
        before = self._reports.get(report.member_id)
        self._reports[report.member_id] = report
        self._keep_metrics(report)
        if before is None or _membership(before) != _membership(report):
            self._version += 1

    def _keep_metrics(self, report: Report) -> None:
        if report.state in GONE:
            self._metrics.pop(report.member_id, None)
            self._failed += report.state != "closed"
        elif report.metrics is not None:
            self._metrics[report.member_id] = report.metrics


def _membership(report: Report) -> object:
    return report.pid, report.state in GONE, report.tasks, report.home, report.joined
