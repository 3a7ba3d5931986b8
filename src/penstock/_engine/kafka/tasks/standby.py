"""Standby replicas: copies of stores on machines that do not run their tasks.

A copy is brought up to date from its changelog in sweeps: its directory is locked, its stores are
opened, the rest of the changelog is read, and all is closed again. So a worker that is assigned the
task waits only briefly for its directory, finds the copy and reads only the rest. A sweep is short
and never delays the worker's own tasks: what fails is tried again at the next one.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from penstock._engine.kafka.client.admin_calls import renewed_admin
from penstock._engine.kafka.client.client_errors import TaskCorrupted
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.topics import Isolation, end_offsets
from penstock._engine.kafka.tasks.restore import RestoreJob, Restorer
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import StorePlan
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.state.files.directory import TaskDirectory
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_ROUND_SECONDS = 5.0
_SWEEP_SECONDS = 1.0
_ENDS_SECONDS = 2.0


@dataclass(slots=True)
class StandbyStores:
    """The stores of a task that another worker runs, open until `close`."""

    stores: list[TaskStore]
    directory: TaskDirectory
    is_open: bool = True

    def close(self, *, wipe: bool = False) -> None:
        """Close the stores and release the directory; with `wipe`, delete what is in it first."""
        if self.is_open:
            self.is_open = False
            try:
                for store in self.stores:
                    store.close()
                if wipe:
                    self.directory.wipe()
            finally:
                self.directory.release()


class StandbyHost(Protocol):
    """Opens the copies. Implemented by `TaskHost`."""

    def open_standby(self, plan: TaskPlan) -> StandbyStores | None:
        """Open the stores of a task, None if another worker has them."""

    def note_damage(self, error: BaseException) -> None:
        """Set a store that `error` says is damaged aside when it is opened next."""


@dataclass(slots=True)
class _Sweep:
    plan: TaskPlan
    stores: StandbyStores
    jobs: list[RestoreJob]
    until: float


class Standbys:
    """The copies that one worker keeps; used by the worker's thread alone."""

    def __init__(self, blueprint: Blueprint, host: StandbyHost) -> None:
        self._host = host
        self._plans = {plan.id: plan for plan in blueprint.tasks if _is_kept(plan)}
        config = blueprint.config
        self._isolation: Isolation = "read_committed" if config.exactly_once else "read_uncommitted"
        self._restorer = Restorer(consumer_settings(config, "restore"))
        self._admin = renewed_admin(config)
        self._waiting: deque[str] = deque()
        self._sweep: _Sweep | None = None
        self._next_round = 0.0
        self.updated: Counter[str] = Counter()
        """How many changelog records were restored to the copy of each task."""

    def work(self, wanted: Collection[str], now: float) -> None:
        """Do a bit for the copies of the `wanted` tasks, `now` in seconds."""
        try:
            if self._sweep is not None:
                self._go_on(self._sweep, now)
            elif self._waiting:
                task = self._waiting.popleft()
                if task in wanted:
                    self._begin(self._plans[task], now)
            elif now >= self._next_round:
                self._next_round = now + _ROUND_SECONDS
                self._waiting.extend(task for task in wanted if task in self._plans)
        except TaskCorrupted as corrupted:
            _log.warning("a standby replica is deleted and begins anew: %s", corrupted)
            self._close_sweep(wipe=True)
        except StreamsError as error:
            _log.warning("a standby replica is not up to date: %s", error)
            self._host.note_damage(error)
            self._close_sweep()

    def close(self) -> None:
        """Close the copy that is open, and the reader."""
        self._close_sweep()
        self._restorer.close()

    def _begin(self, plan: TaskPlan, now: float) -> None:
        opened = self._host.open_standby(plan)
        if opened is None:
            return
        self._sweep = _Sweep(plan, opened, [], now + _SWEEP_SECONDS)
        stores = {store.changelog: store for store in opened.stores if store.changelog is not None}
        ends = end_offsets(self._admin, list(stores), self._isolation, _ENDS_SECONDS)
        self._sweep.jobs = [
            RestoreJob(place, store.changelog_offset(), ends[place], store.restore, store.name)
            for place, store in stores.items()
        ]
        self._restorer.begin(self._sweep.jobs)

    def _go_on(self, sweep: _Sweep, now: float) -> None:
        if not sweep.stores.is_open:  # the task has become this worker's own
            self._close_sweep()
            return
        self._restorer.work(0)
        done = all(job.done for job in sweep.jobs)
        if done or now >= sweep.until:
            self._close_sweep()
            if not done:
                self._waiting.append(sweep.plan.id)

    def _close_sweep(self, *, wipe: bool = False) -> None:
        sweep, self._sweep = self._sweep, None
        if sweep is not None:
            self.updated[sweep.plan.id] += sum(job.restored for job in sweep.jobs)
            self._restorer.drop([job.partition for job in sweep.jobs])
            sweep.stores.close(wipe=wipe)


def _is_kept(plan: TaskPlan) -> bool:
    return any(is_followed(store) for store in plan.subtopology.stores.values())


def is_followed(store: StorePlan) -> bool:
    """Yes if a store has standby copies: it has a changelog, and its state is on disk."""
    return store.changelog is not None and store.builder.engine == "rocksdb"
