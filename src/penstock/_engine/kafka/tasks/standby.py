"""Standby replicas: copies of stores on machines that do not run their tasks.

A copy is brought up to date from its changelog in sweeps: its directory is locked, its stores are
opened, the rest of the changelog is read, and all is closed again. So a worker that is assigned the
task waits only briefly for its directory, finds the copy and reads only the rest. A sweep is short
and never delays the worker's own tasks: what fails is tried again at the next one.

A query opens the copy that it reads, which then stays open for some seconds and follows its
changelog meanwhile. It is closed when its task is assigned to this machine; and every ten seconds
for a moment, for a worker of another driver on this machine that waits for the directory.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from penstock._clock import Clock, SystemClock, monotonic
from penstock._engine.kafka.client.admin_calls import renewed_admin
from penstock._engine.kafka.client.client_errors import TaskCorrupted
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.topics import Isolation, end_offsets
from penstock._engine.kafka.tasks.outdated_state import find_outdated, states_on_disk
from penstock._engine.kafka.tasks.restore import RestoreJob, Restorer
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.queries.questions import Position as QueryPosition
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.state.files.directory import TaskDirectory
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_ROUND_SECONDS = 5.0
_SWEEP_SECONDS = 1.0
_ENDS_SECONDS = 2.0

# How long a copy stays open after a read, and at most; how many are open at once.
_READ_SECONDS = 3.0
_OPEN_SECONDS_MAX = 10.0
_CLOSED_SECONDS = 0.5
_OPEN_MAX = 20
# While a copy is open for reads, the ends of its changelogs are asked for so often.
_FRESH_SECONDS = 1.0


@dataclass(slots=True)
class StandbyStores:
    """The stores of a task that another worker runs, open until `close`."""

    stores: list[TaskStore]
    directory: TaskDirectory
    is_open: bool = True

    def close(self, *, wipe: bool = False, delete: Iterable[str] = ()) -> None:
        """Close the stores and release the directory; with `wipe`, delete what is in it first, or
        only the stores to `delete`.
        """
        if self.is_open:
            self.is_open = False
            with ExitStack() as closing:
                closing.callback(self.directory.release)
                if wipe:
                    closing.callback(self.directory.wipe)
                closing.callback(self.directory.delete_stores, delete)
                for store in self.stores:
                    closing.callback(store.close)


class StandbyHost(Protocol):
    """Opens the copies. Implemented by `TaskHost`."""

    def open_standby(self, plan: TaskPlan) -> StandbyStores | None:
        """Open the stores of a task, None if another worker has them."""

    def holds(self, plan: TaskPlan) -> bool:
        """Whether the task is this worker's own."""

    def note_damage(self, error: BaseException) -> None:
        """Set a store that `error` says is damaged aside when it is opened next."""


@dataclass(slots=True)
class _OpenCopy:
    """A copy whose stores are open: a sweep brings it up to date, or it is read."""

    plan: TaskPlan
    stores: StandbyStores
    opened_at: float
    sweep_until: float
    jobs: list[RestoreJob] = field(default_factory=list)
    looked_at: float = 0.0
    """When the ends of its changelogs were asked for."""
    looked_ms: int = 0
    """The same, by the wall clock."""
    read_until: float = 0.0
    """It stays open until then for the next read."""

    @property
    def done(self) -> bool:
        return all(job.done for job in self.jobs)

    def is_over(self, now: float) -> bool:
        if now >= self.opened_at + _OPEN_SECONDS_MAX:
            return True
        return now >= self.read_until and (self.done or now >= self.sweep_until)

    def reached(self) -> list[RestoreEvent]:
        """Return the events that say how far it was, should it be left now."""
        return [
            job.event("left", offset=job.reached, end=max(job.end, job.reached))
            for job in self.jobs
        ]


class Standbys:
    """The copies that one worker keeps; used by the worker's thread alone."""

    def __init__(self, blueprint: Blueprint, host: StandbyHost, clock: Clock | None = None) -> None:
        self._host = host
        self._clock = clock or SystemClock()
        self._plans = {plan.id: plan for plan in blueprint.tasks if _is_kept(plan)}
        config = blueprint.config
        self._isolation: Isolation = "read_committed" if config.exactly_once else "read_uncommitted"
        self._restorer = Restorer(consumer_settings(config, "restore"))
        self._admin = renewed_admin(config)
        self._given: Collection[str] = ()
        self._wanted: dict[str, StandbyCopy] = {}
        self._waiting: deque[str] = deque()
        self._open: dict[str, _OpenCopy] = {}
        self._kept: dict[str, list[RestoreEvent]] = {}
        """How far the copies are that were begun, by task."""
        self._closed_until: dict[str, float] = {}
        self._next_round = 0.0
        self.updated: Counter[str] = Counter()
        """How many changelog records were restored to the copy of each task."""

    def work(self, wanted: Collection[str], now: float) -> None:
        """Do a bit for the copies of the `wanted` tasks, `now` in seconds."""
        if wanted is not self._given:  # an instruction holds for many steps
            self._given = wanted
            self._wanted = {
                task: StandbyCopy(self._plans[task], self) for task in wanted if task in self._plans
            }
        self._leave_unwanted()
        self._read_changelogs()
        for copy in list(self._open.values()):
            if copy.is_over(now):
                self._end(copy, now)
        stale = [copy for copy in self._open.values() if copy.done]
        oldest = min(stale, key=lambda copy: copy.looked_at, default=None)
        # One request at a time: the tasks of this worker wait for it.
        if oldest is not None and now >= oldest.looked_at + _FRESH_SECONDS:
            self._try(oldest.plan, partial(self._look, oldest, now))
        if self._waiting:
            self._sweep_next(now)
        elif now >= self._next_round:
            self._next_round = now + _ROUND_SECONDS
            self._waiting.extend(self._wanted)

    def queryable(self) -> list[StandbyCopy]:
        """Return what queries may read of the copies that are kept now."""
        return list(self._wanted.values())

    def behind(self) -> dict[str, int]:
        """Return how many changelog offsets each copy that is kept now is behind."""
        return {task: copy.offsets_behind() for task, copy in self._wanted.items()}

    def read(self, plan: TaskPlan, now: float) -> StandbyStores | None:
        """Return the stores of a copy for a query, and keep them open for the next one; None if
        they cannot be had now.
        """
        copy = self._open.get(plan.id)
        if copy is None and now >= self._closed_until.get(plan.id, 0.0):
            if len(self._open) >= _OPEN_MAX:
                self._close(min(self._open.values(), key=lambda one: one.read_until))
            copy = self._begin(plan, now)
        if copy is None or not copy.stores.is_open:
            return None
        copy.read_until = now + _READ_SECONDS
        return copy.stores

    def progress(self, task: str) -> dict[str, tuple[int, int]]:
        """Return how far each store of a copy is: the offset that it has reached, and the end of
        its changelog when that was last asked for. Empty before the first look.
        """
        copy = self._open.get(task)
        reached = self._kept.get(task, []) if copy is None else copy.reached()
        return {event.store: (event.offset, event.end) for event in reached}

    def take_events(self) -> tuple[RestoreEvent, ...]:
        """Return what has happened to copies since the last call; a sweep is no event."""
        events = self._restorer.take_events()
        return tuple(event for event in events if event.kind in {"kept", "batch", "left"})

    def close(self) -> None:
        """Close the copies that are open, and the reader."""
        for copy in list(self._open.values()):
            self._close(copy)
        for task in list(self._kept):
            self._leave(task)
        self._restorer.close()

    def _sweep_next(self, now: float) -> None:
        """Begin the next sweep, unless one is under way. Copies that are read need none."""
        if all(now < copy.read_until for copy in self._open.values()):
            task = self._waiting.popleft()
            if now < self._closed_until.get(task, 0.0):
                self._waiting.append(task)
            elif task in self._wanted and task not in self._open:
                self._begin(self._plans[task], now)

    def _begin(self, plan: TaskPlan, now: float) -> _OpenCopy | None:
        def begin() -> None:
            stores = self._host.open_standby(plan)
            if stores is not None:
                copy = _OpenCopy(plan, stores, now, now + _SWEEP_SECONDS)
                self._open[plan.id] = copy
                self._look(copy, now)

        self._try(plan, begin)
        return self._open.get(plan.id)

    def _look(self, copy: _OpenCopy, now: float) -> None:
        """Ask for the ends of the changelogs, and read them to there."""
        stores = {store.changelog: store for store in copy.stores.stores if store.changelog}
        asked_ms = self._clock.now_ms()
        ends = end_offsets(self._admin, list(stores), self._isolation, _ENDS_SECONDS)
        copy.looked_at = now
        self._count(copy)
        copy.jobs = [
            RestoreJob(
                place,
                store.changelog_offset(),
                ends[place],
                store.restore,
                store.name,
                keeps_headers=store.keeps_headers,
                task=copy.plan.id,
            )
            for place, store in stores.items()
        ]
        copy.looked_ms = asked_ms
        times = copy.stores.directory.times()
        states = states_on_disk(copy.jobs, stores, copy.plan, times)
        for outdated in find_outdated(states, self._admin, asked_ms, _ENDS_SECONDS):
            _log.warning("a standby replica is deleted and begins anew: %s", outdated)
            old = [job.store for job in copy.jobs if job.partition == outdated.changelog]
            self._close(copy, delete=old)
            return
        if empty := [job.store for job in copy.jobs if job.start is None]:
            times.note(empty, asked_ms)
        self._restorer.begin(copy.jobs)
        if copy.plan.id not in self._kept:
            self._restorer.note(job.event("kept", offset=job.reached) for job in copy.jobs)
            self._kept[copy.plan.id] = copy.reached()

    def _read_changelogs(self) -> None:
        try:
            self._restorer.work(0)
        except TaskCorrupted as corrupted:
            _log.warning("a standby replica is deleted and begins anew: %s", corrupted)
            for copy in list(self._open.values()):
                if any(job.partition == corrupted.changelog for job in copy.jobs):
                    self._close(copy, wipe=True)
        except StreamsError as error:
            self._failed(error, list(self._open.values()))

    def _try(self, plan: TaskPlan, do: Callable[[], None]) -> None:
        try:
            do()
        except StreamsError as error:
            self._failed(error, [self._open[plan.id]] if plan.id in self._open else [])

    def _failed(self, error: StreamsError, copies: Iterable[_OpenCopy]) -> None:
        _log.warning("a standby replica is not up to date: %s", error)
        self._host.note_damage(error)
        for copy in copies:
            self._close(copy, is_whole=False)

    def _end(self, copy: _OpenCopy, now: float) -> None:
        if not copy.done:
            self._waiting.append(copy.plan.id)
        if now < copy.read_until:
            # Another worker of this machine may wait for the directory: it gets a moment.
            self._closed_until[copy.plan.id] = now + _CLOSED_SECONDS
        self._close(copy)

    def _close(
        self,
        copy: _OpenCopy,
        *,
        wipe: bool = False,
        delete: Collection[str] = (),
        is_whole: bool = True,
    ) -> None:
        """Close a copy. One that failed is not whole: it has read what it may not have written."""
        del self._open[copy.plan.id]
        if copy.plan.id in self._kept and not delete:
            self._kept[copy.plan.id] = copy.reached()
        if wipe or delete:
            self._leave(copy.plan.id)
        self._count(copy)
        if is_whole:
            self._note_complete(copy)
        self._restorer.drop([job.partition for job in copy.jobs])
        try:
            copy.stores.close(wipe=wipe, delete=delete)
        except StreamsError as error:
            # A copy is worth no task: the worker goes on.
            _log.warning("a standby replica could not be closed: %s", error)
            self._host.note_damage(error)

    def _leave_unwanted(self) -> None:
        for copy in list(self._open.values()):
            # A task that has become this worker's own is closed already.
            if copy.plan.id not in self._wanted or not copy.stores.is_open:
                self._close(copy)
        for task in list(self._kept):
            if task not in self._wanted or self._host.holds(self._plans[task]):
                self._leave(task)

    def _leave(self, task: str) -> None:
        self._restorer.note(self._kept.pop(task, []))

    def _note_complete(self, copy: _OpenCopy) -> None:
        """Note when the copy was last complete, if it is so now."""
        if copy.jobs and copy.done and copy.stores.is_open:
            names = [job.store for job in copy.jobs]
            copy.stores.directory.times().note(names, copy.looked_ms)

    def _count(self, copy: _OpenCopy) -> None:
        self.updated[copy.plan.id] += sum(job.restored for job in copy.jobs)


class StandbyCopy:
    """A copy as a query sees it: `queries/query_server.py`. It is opened when it is read."""

    is_ready = False

    def __init__(self, plan: TaskPlan, standbys: Standbys) -> None:
        self._plan, self._standbys = plan, standbys

    @property
    def partition(self) -> int:
        return self._plan.partition

    def has_store(self, name: str) -> bool:
        plan = self._plan.subtopology.stores.get(name)
        return plan is not None and plan.has_standbys

    def store(self, name: str) -> TaskStore | None:
        opened = self._standbys.read(self._plan, monotonic())
        stores = [] if opened is None else opened.stores
        return next((store for store in stores if store.name == name), None)

    def position(self, *, uncommitted: bool) -> QueryPosition:
        del uncommitted  # changelogs do not say which inputs their records come from
        return {}

    def offsets_behind(self) -> int:
        progress = self._standbys.progress(self._plan.id).values()
        return sum(max(0, end - reached) for reached, end in progress)

    def restore_progress(self, store: str) -> tuple[int, int] | None:
        return self._standbys.progress(self._plan.id).get(store, (0, 0))


def _is_kept(plan: TaskPlan) -> bool:
    return any(store.has_standbys for store in plan.subtopology.stores.values())
