"""The last report of each worker, and whether the membership has changed since a look at it.

Workers report four times a second each, so what depends on all of them (standbys, whether the
application runs) is computed again only when `version` has changed: a worker came or ended, its
tasks or their states changed, it joined the group, its state moved to another machine, it fell
silent.

A process that is stopped keeps its connection, and its last report would be believed for ever. What
a worker with tasks said last is old after some seconds: its state is `silent`, its lag is not
known, and queries ask others for its tasks.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from penstock._clock import monotonic
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.standby_assignment import assign_standbys
from penstock._engine.control.status import GONE, SILENT
from penstock._engine.metrics.rows import MetricRow

_LAG = "records-lag"
# Workers report four times a second, a busy function of the user or not.
_SILENT_SECONDS = 5.0
_LOOK_SECONDS = 0.5
# Reports come or are looked at several times a second, unless the driver itself stands still.
_STALL_SECONDS = 2.0

Assignments: TypeAlias = Sequence[tuple[tuple[str, int], Mapping[str, str]]]
"""Workers, each with its tasks and what these do."""


class Members:
    """The workers of one instance; any thread may call it."""

    def __init__(self) -> None:
        self._reports: dict[str, Report] = {}
        self._claims: dict[str, None] = {}
        """The workers, the one whose tasks have changed last at the end."""
        self._arrived: dict[str, float] = {}
        """When the last report of each worker came."""
        self._silent: frozenset[str] = frozenset()
        self._next_look = 0.0
        self._awake = monotonic()
        """When reports were taken or looked at last."""
        self._lock = threading.Lock()
        self._version = 0
        self._metrics: dict[str, tuple[MetricRow, ...]] = {}
        self._failed = 0
        self._assignments: tuple[int, Assignments] = (0, [])
        self._standbys: tuple[object, Mapping[str, tuple[str, ...]]] = (None, {})

    @property
    def version(self) -> int:
        """A number that grows when the membership changes."""
        return self._version

    def reports(self) -> dict[str, Report]:
        """Return the last report of each worker."""
        with self._lock:
            self._look_for_silent()
            return {name: self._shown(report) for name, report in self._reports.items()}

    def alive(self) -> list[Report]:
        """Return the last reports of the workers that have not ended."""
        with self._lock:
            return self._alive()

    def assignments(self) -> Assignments:
        """Return the workers that have not ended and are not silent, each with its tasks. The
        newest claim is the last: a worker that hangs does not know that a task of its has moved.
        Each question asks for it: the list is made once for each version.
        """
        with self._lock:
            self._look_for_silent()
            if self._assignments[0] != self._version:
                reports = [self._reports[name] for name in self._claims if name in self._reports]
                self._assignments = (
                    self._version,
                    [
                        (one.worker, one.tasks)
                        for one in reports
                        if one.state not in GONE and one.member_id not in self._silent
                    ],
                )
            return self._assignments[1]

    def take(self, report: Report) -> None:
        """Replace the last report of a worker."""
        with self._lock:
            self._put(report)

    def lost(self, last: Report) -> Report | None:
        """Mark a worker whose connection has ended as lost; None if it had ended before."""
        with self._lock:
            known = self._reports.get(last.member_id)
            is_other = known is None or (known.pid, known.process) != (last.pid, last.process)
            if known is None or is_other or known.state in GONE:
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

    def tasks(self) -> set[str]:
        """Return the tasks of all workers that have not ended, silent ones too."""
        with self._lock:
            return {task for report in self._alive() for task in report.tasks}

    def _look_for_silent(self) -> None:
        now = monotonic()
        self._allow_for_stall(now)
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_SECONDS
        silent = frozenset(
            report.member_id
            for report in self._alive()
            if report.tasks and now - self._arrived[report.member_id] >= _SILENT_SECONDS
        )
        if silent != self._silent:
            for name in silent - self._silent:
                self._forget_lag(name)
            self._silent = silent
            self._version += 1

    def _allow_for_stall(self, now: float) -> None:
        """Wait anew for all reports if the driver has stood still: they wait to be taken."""
        if now - self._awake >= _STALL_SECONDS:
            for name in self._arrived.keys() - self._silent:
                self._arrived[name] = now
        self._awake = now

    def _shown(self, report: Report) -> Report:
        if report.member_id not in self._silent or report.state in GONE:
            return report
        return replace(report, state=SILENT, repeated=True)

    def _forget_lag(self, name: str) -> None:
        self._metrics[name] = tuple(map(_without_lag, self._metrics.get(name, ())))

    def _alive(self) -> list[Report]:
        return [report for report in self._reports.values() if report.state not in GONE]

    def _put(self, report: Report) -> None:
        before = self._reports.get(report.member_id)
        now = monotonic()
        self._allow_for_stall(now)
        self._reports[report.member_id] = report
        self._arrived[report.member_id] = now
        if report.member_id in self._silent:
            self._next_look = 0.0
        self._keep_metrics(report)
        if before is None or _membership(before) != _membership(report):
            self._version += 1
            self._claims.pop(report.member_id, None)
            self._claims[report.member_id] = None
        elif report.repeated and not before.repeated:
            self._forget_lag(report.member_id)

    def _keep_metrics(self, report: Report) -> None:
        if report.state in GONE:
            self._metrics.pop(report.member_id, None)
            self._failed += report.state != "closed"
        elif report.metrics is not None:
            self._metrics[report.member_id] = report.metrics


def _membership(report: Report) -> object:
    return (
        report.pid,
        report.process,
        report.state in GONE,
        report.tasks,
        report.home,
        report.joined,
    )


def _without_lag(row: MetricRow) -> MetricRow:
    """Return a row of a worker that does not come to count: other figures stand, the lag grows."""
    if row.of_user or _LAG not in row.values:
        return row
    values = {name: value for name, value in row.values.items() if name != _LAG}
    return replace(row, values=values)
