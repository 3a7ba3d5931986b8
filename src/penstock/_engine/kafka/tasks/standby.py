"""Standby replicas: copies of stores on machines that do not run their tasks.

A copy is brought up to date from its changelog in sweeps: its directory is locked, its stores are
opened, what the changelog has more is read, and all is let go again. So nobody who is given the
task waits long for its directory, and whoever opens it finds the copy and reads only the rest. A
sweep is short, and never in the way of the worker's own tasks: whatever fails is tried again at the
next one.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.client_errors import TaskCorrupted
from penstock._engine.kafka.client.clients import admin_settings, consumer_settings
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
        """Close the stores and let go of the directory; with `wipe`, of what is in it as well."""
        if self.is_open:
            self.is_open = False
            try:
                for store in self.stores:
                    store.close()
                if wipe:
                    self.directory.wipe()
            finally:
                self.directory.release()


class StandbyHome(Protocol):
    """Where copies are kept."""

    def open_standby(self, plan: TaskPlan) -> StandbyStores | None:
        """Open the stores of a task, None if somebody else has them."""

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

    def __init__(self, blueprint: Blueprint, home: StandbyHome) -> None:
        self._home = home
        self._plans = {plan.id: plan for plan in blueprint.tasks if _is_kept(plan)}
        config = blueprint.config
        self._isolation: Isolation = "read_committed" if config.exactly_once else "read_uncommitted"
        self._restorer = Restorer(consumer_settings(config, "restore"))
        self._admin = AdminClient(admin_settings(config))
        self._waiting: deque[str] = deque()
        self._sweep: _Sweep | None = None
        self._next_round = 0.0

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
            self._let_go(wipe=True)
        except StreamsError as error:
            _log.warning("a standby replica is not up to date: %s", error)
            self._home.note_damage(error)
            self._let_go()

    def close(self) -> None:
        """Let go of everything."""
        self._let_go()
        self._restorer.close()

    def _begin(self, plan: TaskPlan, now: float) -> None:
        opened = self._home.open_standby(plan)
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
            self._let_go()
            return
        self._restorer.work(0)
        done = all(job.done for job in sweep.jobs)
        if done or now >= sweep.until:
            self._let_go()
            if not done:
                self._waiting.append(sweep.plan.id)

    def _let_go(self, *, wipe: bool = False) -> None:
        sweep, self._sweep = self._sweep, None
        if sweep is not None:
            self._restorer.drop([job.partition for job in sweep.jobs])
            sweep.stores.close(wipe=wipe)


def _is_kept(plan: TaskPlan) -> bool:
    return any(is_followed(store) for store in plan.subtopology.stores.values())


def is_followed(store: StorePlan) -> bool:
    """Tell whether a store has copies: it has a changelog, and what it holds stays on disk."""
    return store.changelog is not None and store.builder.engine == "rocksdb"
