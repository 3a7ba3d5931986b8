"""The last hour of an application, in memory: what happened, and how much was done when.

It is shown what there is each second and notes what has changed. Its size is bounded: 360 buckets
of ten seconds and the newest events of each kind, so that many of one kind push out no others. A
rebalance of a thousand tasks is one event, as are all errors of a minute.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, TypedDict

from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.status import GONE
from penstock._engine.http.console.worker_names import full_name

BUCKET_MS = 10_000
BUCKETS = 360
EVENTS_MAX = 100
"""How many events of each kind are kept: an hour of errors has sixty."""
ERRORS_MS = 60_000
"""The errors of so long are one event."""
_NAMED = 4
"""How many tasks an event names."""


class Event(TypedDict):
    """Something that happened; `kind` is state, worker, rebalance, restored or failure."""

    number: int
    at: int
    kind: str
    text: str


class History:
    """Remembers one application; one thread shows it what there is."""

    def __init__(self) -> None:
        self._buckets: deque[list[int]] = deque(maxlen=BUCKETS)
        """Of each ten seconds: its number, commits, records, turns."""
        self._events: dict[str, deque[Event]] = {}
        """The newest of each kind."""
        self._count = 0
        self._failing: tuple[Event, int] | None = None
        """The last event of errors, and how many it stands for."""
        self._state: str | None = None
        self._workers: dict[tuple[str, int], str] = {}
        self._names: dict[tuple[str, int], str] = {}
        self._owners: dict[str, str] = {}
        self._states: dict[str, str] = {}
        self._turn = 0
        self._totals: dict[tuple[str, int], tuple[int, int]] = {}
        self._errors = 0

    def observe(
        self,
        now_ms: int,
        state: str,
        reports: Mapping[str, Report],
        commits: Mapping[str, int],
        errors: int,
    ) -> None:
        """Take what there is now; `commits` are the totals of the workers, `errors` those of all
        time.
        """
        if state != self._state:
            before, self._state = self._state, state
            self._note(now_ms, "state", state if before is None else f"{before} \u2192 {state}")
        self._observe_workers(now_ms, reports)
        self._observe_tasks(now_ms, reports)
        if errors > self._errors:
            count = errors - self._errors
            self._errors = errors
            self._note_errors(now_ms, count)
        self._count_work(now_ms, reports, commits)

    def timeline(self) -> dict[str, Any]:
        """Return what is remembered."""
        return {
            "bucket_ms": BUCKET_MS,
            "buckets": [list(bucket) for bucket in self._buckets],
            "events": sorted(
                (event for events in self._events.values() for event in events),
                key=lambda event: event["number"],
            ),
        }

    def _note(self, now_ms: int, kind: str, text: str) -> Event:
        self._count += 1
        event = Event(number=self._count, at=now_ms, kind=kind, text=text)
        self._events.setdefault(kind, deque(maxlen=EVENTS_MAX)).append(event)
        return event

    def _note_errors(self, now_ms: int, count: int) -> None:
        event = None
        if self._failing is not None and now_ms - self._failing[0]["at"] < ERRORS_MS:
            event, before = self._failing
            count += before
        text = f"{count:,} error{'s' if count > 1 else ''}"
        if event is None:
            event = self._note(now_ms, "failure", text)
        event["text"] = text
        self._failing = event, count

    def _observe_workers(self, now_ms: int, reports: Mapping[str, Report]) -> None:
        now = {
            report.worker: report.state if report.state in GONE else "alive"
            for report in reports.values()
        }
        names = {report.worker: full_name(report) for report in reports.values()}
        for worker, state in now.items():
            before = self._workers.get(worker)
            if before == state:
                continue
            name = f"{names[worker]} (process {worker[1]})"
            if state == "alive":
                self._note(now_ms, "worker", f"worker {name} started")
            elif state == "lost":
                self._note(now_ms, "failure", f"worker {name} died")
            elif state == "failed":
                self._note(now_ms, "failure", f"worker {name} failed")
            elif before is not None:
                self._note(now_ms, "worker", f"worker {name} ended")
        for worker in self._workers.keys() - now.keys():
            if self._workers[worker] == "alive":
                # Another process has its id, and its own last report was never seen.
                name = f"{self._names[worker]} (process {worker[1]})"
                self._note(now_ms, "failure", f"worker {name} is gone")
        self._workers, self._names = now, names

    def _observe_tasks(self, now_ms: int, reports: Mapping[str, Report]) -> None:
        owners: dict[str, str] = {}
        states: dict[str, str] = {}
        for report in reports.values():
            if report.state not in GONE:
                for task, state in report.tasks.items():
                    owners[task], states[task] = report.member_id, state
        moved = [task for task, owner in owners.items() if self._owners.get(task, owner) != owner]
        new = [task for task in owners if task not in self._owners]
        gone = [task for task in self._owners if task not in owners]
        for tasks, what in ((moved, "moved"), (new, "assigned"), (gone, "without a worker")):
            if tasks:
                text = f"{_listed(tasks)} {what}"
                if what != "without a worker" and len(tasks) == 1:
                    text += f" to {full_name(reports[owners[tasks[0]]])}"
                self._note(now_ms, "rebalance", text)
        restored = [
            task
            for task, state in states.items()
            if state == "running" and self._states.get(task) == "restoring"
        ]
        if restored:
            self._note(now_ms, "restored", f"{_listed(restored)} restored")
        self._owners, self._states = owners, states

    def _count_work(
        self, now_ms: int, reports: Mapping[str, Report], commits: Mapping[str, int]
    ) -> None:
        number = now_ms // BUCKET_MS
        if not self._buckets or self._buckets[-1][0] != number:
            self._buckets.append([number, 0, 0, 0])
        bucket = self._buckets[-1]
        totals: dict[tuple[str, int], tuple[int, int]] = {}
        for report in reports.values():
            before = self._totals.get(report.worker, (0, 0) if self._totals else None)
            committed = commits.get(report.member_id, before[0] if before else 0)
            totals[report.worker] = committed, report.records_in
            if before is not None:
                bucket[1] += max(0, committed - before[0])
                bucket[2] += max(0, report.records_in - before[1])
        self._totals = totals
        turn = max((report.slot[0] for report in reports.values()), default=0)
        if self._turn:
            bucket[3] += max(0, turn - self._turn)
        self._turn = turn or self._turn


def _listed(tasks: list[str]) -> str:
    if len(tasks) == 1:
        return f"task {tasks[0]}"
    more = f" and {len(tasks) - _NAMED:,} more" if len(tasks) > _NAMED else ""
    return f"{len(tasks):,} tasks ({', '.join(tasks[:_NAMED])}{more})"
