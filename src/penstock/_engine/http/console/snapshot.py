"""What the page shows, as one document of sections; pure but for what `Watch` remembers.

Sections change at different times: a stream sends those that have changed. Numbers of tasks are
columns, not rows: two thousand tasks are then a hundred kilobytes.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.recent_errors import SeenError
from penstock._engine.control.status import GONE, SILENT, broker_away_seconds
from penstock._engine.http.console.edge_rates import Flow, edge_rates, flow_of, node_rates
from penstock._engine.http.console.graph import windows_of
from penstock._engine.http.console.history import History
from penstock._engine.http.console.metric_index import MetricIndex, TaskFigures, index
from penstock._engine.http.console.open_windows import TaskTime, held_back, open_windows
from penstock._engine.http.console.rates import WINDOW_SECONDS, Rates
from penstock._engine.http.console.worker_names import machine_of, place_name, place_names, short_id
from penstock._engine.http.served import Application
from penstock._engine.metrics.rows import THREAD, MetricRow
from penstock._engine.planner.tasks import TaskPlan

MetricRows = Mapping[str, Sequence[MetricRow]]
"""The last metrics of each worker, by its id."""

_ERRORS_SHOWN = 100
_NONE = TaskFigures()


@dataclass(frozen=True, slots=True)
class Look:
    """An application at one moment."""

    now_ms: int
    now: float
    """Seconds of a clock that never goes back."""
    application: Application
    reports: Mapping[str, Report]
    metrics: MetricIndex
    tasks: Sequence[TaskPlan]
    rates: Mapping[tuple[str, int], tuple[float, float]]
    """Records a second in and out, of each worker."""
    totals: tuple[int, int]
    """Records in and out, of all workers that were seen."""


@dataclass(slots=True)
class _Program:
    tasks: Sequence[TaskPlan]
    flow: Flow
    windows: list[dict[str, Any]]
    version: int


@dataclass(slots=True)
class _Restoring:
    """How far a task was when it was first seen to be restored."""

    first: int
    since: float


@dataclass(slots=True)
class Watch:
    """Looks at one application again and again; one thread calls it."""

    application: Application
    history: History = field(default_factory=History)
    _rates: Rates = field(default_factory=Rates)
    _glances: deque[tuple[float, MetricRows]] = field(default_factory=deque)
    """The metrics of the last glances, as far as a rate reaches back."""
    _restoring: dict[str, _Restoring] = field(default_factory=dict)
    _counted: dict[str, tuple[int, int]] = field(default_factory=dict)
    _totals: tuple[int, int] = (0, 0)
    _program: _Program | None = None

    def glance(self, now_ms: int, now: float) -> None:
        """Remember what has happened while no page is open, without the figures of all tasks."""
        rows = self.application.metric_rows()
        self._glances.append((now, rows))
        while len(self._glances) > 1 and now - self._glances[1][0] >= WINDOW_SECONDS:
            self._glances.popleft()
        reports = self.application.reports()
        self._worker_rates(reports, now)
        self._rates.forget(now)
        self._remember(now_ms, reports, rows)

    def look(self, now_ms: int, now: float) -> Look:
        """Look at the application, and remember what has happened since."""
        application = self.application
        reports, rows = application.reports(), application.metric_rows()
        rates = self._worker_rates(reports, now)
        if self._glances:
            # The first look after a pause: rates need totals of a moment before.
            before, earlier = self._glances[0]
            index(earlier, self._rates, before)
            self._glances.clear()
        metrics = index(rows, self._rates, now)
        self._rates.forget(now)
        self._remember(now_ms, reports, rows)
        plan, totals = application.plan(), self._totals
        return Look(now_ms, now, application, reports, metrics, plan, rates, totals)

    def sections(self, look: Look) -> dict[str, Any]:
        """Return what the page shows of it."""
        program = self._program_of(look)
        metrics = look.metrics
        rates = edge_rates(program.flow, metrics.read, metrics.written, metrics.processed)
        owners, names = owners_of(look.reports), place_names(look.reports)
        return {
            "head": {**head(look), **totals(look), "plan": program.version},
            "flow": flow_section(look, program.flow, rates),
            "stores": stores_section(look),
            "workers": workers_section(look),
            "tasks": self._tasks(look, owners),
            "time": time_section(look, program.windows),
            "errors": [
                error_document(one, names)
                for one in look.application.errors().newest()[:_ERRORS_SHOWN]
            ],
            "timeline": self.history.timeline(),
        }

    def _worker_rates(
        self, reports: Mapping[str, Report], now: float
    ) -> dict[tuple[str, int], tuple[float, float]]:
        self._add_up(reports)
        return {
            report.worker: (
                self._rates.rate((report.worker, "in"), report.records_in, now),
                self._rates.rate((report.worker, "out"), report.records_out, now),
            )
            for report in reports.values()
        }

    def _add_up(self, reports: Mapping[str, Report]) -> None:
        for member, report in reports.items():
            now, before = (report.records_in, report.records_out), self._counted.get(member, (0, 0))
            if now[0] < before[0] or now[1] < before[1]:
                before = (0, 0)  # it was replaced, and counts anew
            records_in, records_out = self._totals
            self._totals = records_in + now[0] - before[0], records_out + now[1] - before[1]
            self._counted[member] = now

    def _remember(self, now_ms: int, reports: Mapping[str, Report], rows: MetricRows) -> None:
        # The row of the thread is the first of each worker.
        threads = {
            worker: next(
                (row.values for row in its_rows if row.group == THREAD and not row.of_user), {}
            )
            for worker, its_rows in rows.items()
        }
        commits = {worker: int(values.get("commit-total", 0)) for worker, values in threads.items()}
        application = self.application
        self.history.observe(
            now_ms, application.state, reports, commits, application.errors().count
        )

    def _program_of(self, look: Look) -> _Program:
        known = self._program
        if known is None or known.tasks is not look.tasks:
            version = 1 if known is None else known.version + 1
            topology = look.application.program()
            known = _Program(
                look.tasks, flow_of(topology), windows_of(topology, look.tasks), version
            )
            self._program = known
        return known

    def _tasks(self, look: Look, owners: Mapping[str, tuple[str, str]]) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        keepers: dict[str, list[str]] = {}
        for member, tasks in look.application.standby_copies().items():
            for task in tasks:
                keepers.setdefault(task, []).append(member)
        others = _elsewhere(look, owners)
        for plan in look.tasks:
            figures = look.metrics.tasks.get(plan.id, _NONE)
            nowhere: tuple[str | None, str] = (None, "unassigned")
            worker, state = others.get(plan.id) or owners.get(plan.id) or nowhere
            done, eta = self._restore_progress(plan.id, state, figures, look.now)
            for name, value in (
                ("id", plan.id),
                ("state", state),
                ("worker", worker),
                ("lag", figures.lag),
                ("rate", round(figures.rate, 1)),
                ("busy", round(figures.busy, 3)),
                ("dropped", figures.dropped),
                ("stream_time", figures.stream_time),
                ("restored", done),
                ("remaining", figures.remaining if state == "restoring" else None),
                ("eta", eta),
                ("standbys", keepers.get(plan.id, [])),
                ("standby_lag", figures.standby_remaining),
            ):
                columns[name].append(value)
        return columns

    def _restore_progress(
        self, task: str, state: str, figures: TaskFigures, now: float
    ) -> tuple[float | None, float | None]:
        """Return which part of a task is restored, and in how many seconds it will be."""
        if state != "restoring" or figures.remaining is None:
            self._restoring.pop(task, None)
            return None, None
        begun = self._restoring.setdefault(task, _Restoring(figures.remaining, now))
        if figures.remaining > begun.first:
            begun.first, begun.since = figures.remaining, now
        done = begun.first - figures.remaining
        part = done / begun.first if begun.first else 0.0
        speed = done / (now - begun.since) if now > begun.since else 0.0
        return round(part, 3), round(figures.remaining / speed, 1) if speed else None


_COLUMNS = (
    "id",
    "state",
    "worker",
    "lag",
    "rate",
    "busy",
    "dropped",
    "stream_time",
    "restored",
    "remaining",
    "eta",
    "standbys",
    "standby_lag",
)


def head(look: Look) -> dict[str, Any]:
    """Return the figures at the top of the page."""
    application = look.application
    alive = [report for report in look.reports.values() if report.state not in GONE]
    known = [report for report in alive if report.state != SILENT]
    owners = owners_of(look.reports)
    states = Counter(state for _, state in owners.values())
    elsewhere = len(_elsewhere(look, owners))
    return {
        "now": look.now_ms,
        "application": application.application_id,
        "state": application.state,
        "trouble": application.trouble,
        "guarantee": "exactly_once_v2" if application.exactly_once else "at_least_once",
        "lag": application.lag(),
        "tasks": len(look.tasks),
        "running": states["running"],
        "restoring": states["restoring"],
        "elsewhere": elsewhere,
        "missing": max(0, len(look.tasks) - states.total() + states[SILENT] - elsewhere),
        "workers": len(alive),
        "restore_remaining": sum(report.restore_remaining for report in known),
        "broker_away_seconds": broker_away_seconds(known),
        "errors": application.errors().count,
    }


def totals(look: Look) -> dict[str, Any]:
    """Return the records of all workers that were seen, ended and replaced ones included."""
    return {
        "rate_in": round(sum(rate for rate, _ in look.rates.values()), 1),
        "rate_out": round(sum(rate for _, rate in look.rates.values()), 1),
        "total_in": look.totals[0],
        "total_out": look.totals[1],
    }


def workers_section(look: Look) -> list[dict[str, Any]]:
    """Return each worker: where it is, what it does."""
    shown = []
    copies = look.application.standby_copies()
    for member, report in sorted(look.reports.items(), key=_by_place):
        thread = look.metrics.threads.get(member, {})
        _, _, place = report.home.partition(":")
        shown.append(
            {
                "id": member,
                "short_id": short_id(member),
                "name": place_name(report),
                "process": report.pid,
                "state": report.state,
                "machine": machine_of(report),
                "executor": report.executor,
                "place": place,
                "slot": list(report.slot),
                "tasks": len(report.tasks),
                "rate": round(look.rates[report.worker][0], 1),
                "lag": report.lag,
                "restore_remaining": report.restore_remaining,
                "busy": _rounded(thread.get("process-ratio"), 3),
                "commit_ms": _rounded(thread.get("commit-latency-avg"), 1),
                "commits": thread.get("commit-total"),
                "standbys": len(copies.get(member, ())),
                "failure": None if report.failure is None else report.failure.message[:500],
            }
        )
    return shown


def _by_place(one: tuple[str, Report]) -> tuple[str, int, str]:
    member, report = one
    return machine_of(report), report.slot[1], member


def owners_of(reports: Mapping[str, Report]) -> dict[str, tuple[str, str]]:
    """Return worker and state of each task that a worker here has."""
    owners: dict[str, tuple[str, str]] = {}
    # The last one is believed: one that hangs does not know that its task has moved.
    for report in sorted(reports.values(), key=lambda one: not one.repeated):
        if report.state in GONE:
            continue
        for task, state in report.tasks.items():
            shown = SILENT if report.state == SILENT else state
            if task not in owners or owners[task][1] == SILENT or shown == "running":
                owners[task] = report.member_id, shown
    return owners


def flow_section(look: Look, flow: Flow, rates: list[float | None]) -> dict[str, Any]:
    """Return the rates of all arrows, and the figures of all nodes."""
    metrics = look.metrics
    errors, skipped = look.application.errors().of_nodes()
    reached = node_rates(flow, rates, metrics.read, metrics.processed)
    heat = _heat(look, reached)
    nodes: dict[str, Any] = {}
    for name in look.application.program().nodes:
        known = metrics.nodes.get(name)
        nodes[name] = {
            "rate": _rounded(reached.get(name), 1),
            "total": metrics.totals.get(name, metrics.counted.get(name)),
            "heat": heat.get(name, 0.0),
            "errors": errors[name],
            "dropped": 0 if known is None else known.dropped,
            "skipped": skipped[name],
            "latency_avg": None if known is None else _rounded(known.latency_avg, 1),
            "latency_max": None if known is None else _rounded(known.latency_max, 1),
        }
    for name, lag in _source_lags(look).items():
        nodes[name]["lag"] = lag
    # Nodes that count their records do so from the first metrics on.
    counts = bool(metrics.processed) if metrics.nodes or metrics.read else None
    return {"edges": [_rounded(rate, 1) for rate in rates], "nodes": nodes, "counts": counts}


def stores_section(look: Look) -> dict[str, Any]:
    """Return size and rows of each store."""
    entries = Counter[str]()
    for report in look.reports.values():
        if report.state not in GONE:
            entries.update(report.state_entries)
    names = look.application.stores().keys() | look.metrics.stores.keys()
    return {
        name: {
            "rows": known.rows or entries[name] if known is not None else entries[name],
            "bytes": None if known is None else known.bytes,
            "parts": None if known is None else known.parts,
        }
        for name in sorted(names)
        for known in [look.metrics.stores.get(name)]
    }


def time_section(look: Look, windows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the windowed aggregations, with the time of each of their tasks."""
    windowed = frozenset(one["subtopology"] for one in windows)
    shown = []
    for facts in windows:
        tasks = []
        for plan in look.tasks:
            figures = look.metrics.tasks.get(plan.id, _NONE)
            if plan.subtopology.id != facts["subtopology"]:
                continue
            time = figures.stream_time
            known = None if time is None else open_windows(facts, time)
            count, closes = (None, None) if known is None else known
            tasks.append([plan.id, time, count, closes, figures.late])
        shown.append({**facts, "tasks": tasks})
    return {"windows": shown, "held": held_back(_times(look), windowed)}


def error_document(
    one: SeenError, names: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the errors of a kind as the page shows them, with the last one; texts are texts,
    whatever they look like. `names` are those of the workers that are still known.
    """
    record, failure = one.record, one.failure
    document: dict[str, Any] = {
        "number": one.number,
        "count": one.count,
        "first": one.first_ms,
        "at": one.at_ms,
        "worker": one.worker,
        "worker_name": names.get(one.worker, short_id(one.worker)),
        "fatal": failure is not None or record is None,
    }
    if record is None and failure is None:
        return {**document, "error": "the worker's process died"}
    if failure is not None:
        document |= {
            "error": failure.message[:1000],
            "kind": failure.kind,
            "trace": (failure.user_trace or failure.trace)[-4000:],
            **(failure.place or {}),
        }
    if record is not None:
        document |= {
            "error": record.error,
            "reason": record.reason,
            "task_id": record.task_id,
            "node": record.node,
            "topic": record.topic,
            "partition": record.partition,
            "offset": record.offset,
            "location": record.location,
            "key": record.key,
            "value": record.value,
            "headers": [list(pair) for pair in record.headers],
            "dead_letters": list(record.dead_letters),
        }
    return document


def _times(look: Look) -> list[TaskTime]:
    return [
        TaskTime(
            plan.id,
            plan.subtopology.id,
            figures.stream_time,
            figures.lag,
            {place: figures.idle_seconds.get(place[0], 0.0) for place in plan.inputs},
        )
        for plan in look.tasks
        for figures in [look.metrics.tasks.get(plan.id)]
        if figures is not None
    ]


def _source_lags(look: Look) -> dict[str, int]:
    """Return the records that wait at each source that this program has."""
    nodes = look.application.program().nodes
    return {name: lag for name, lag in look.metrics.lags.items() if name in nodes}


def _heat(look: Look, reached: Mapping[str, float]) -> dict[str, float]:
    """Return how hot nodes are, from 0 to 1: the time that the busiest task of the sub-topology
    takes of its worker, and less where few of its records come along.
    """
    heat: dict[str, float] = {}
    plans = {plan.subtopology.id: plan.subtopology for plan in look.tasks}
    busy: dict[int, float] = {}
    for plan in look.tasks:
        figures = look.metrics.tasks.get(plan.id, _NONE)
        busy[plan.subtopology.id] = max(busy.get(plan.subtopology.id, 0.0), figures.busy)
    for number, subtopology in plans.items():
        names = [node.name for node in subtopology.nodes]
        most = max((reached.get(name, 0.0) for name in names), default=0.0)
        for name in names:
            share = reached.get(name, most / 2) / most if most else 0.0
            heat[name] = round(busy[number] * share, 3)
    return heat


def _elsewhere(look: Look, owners: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return driver and state of each task that another driver has, and no worker here that sends
    reports.
    """
    _, *others = look.application.drivers()
    return {
        task: (driver.name, state)
        for driver in others
        for task, state in driver.tasks.items()
        if task not in owners or owners[task][1] == SILENT
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, digits)
