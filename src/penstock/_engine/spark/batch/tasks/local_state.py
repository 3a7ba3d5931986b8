"""The state of the tasks of one Spark partition: in a folder that is deleted at the end.

Imports no Arrow: tasks that read their inputs from Kafka do without it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import Protocol

from penstock._clock import new_id
from penstock._engine.planner.plan import StorePlan, SubtopologyPlan
from penstock._engine.planner.stages import JobPlan
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.global_task import GlobalTask
from penstock._engine.runtime.records import RawRecord
from penstock._engine.runtime.stores.engine_choice import open_in
from penstock._engine.runtime.stores.row_forms import changes_of
from penstock._engine.runtime.stores.task_stores import MakeEngine, TaskStore
from penstock._engine.runtime.stores.user_engines import own_engine_of
from penstock._engine.runtime.task import Task
from penstock._engine.spark.batch.tasks.bounded_task import BoundedTask
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.files.directory import StateDirectory
from penstock._engine.state.overlay import Reserve
from penstock._engine.state.spilling import SpillingStore
from penstock.settings import StreamsConfig
from penstock.stores import StorePlace
from penstock.stores._open_engine import destroy_state

_RESERVE_BYTES = 32 * 1024 * 1024
_SMALL_STATE_BYTES = 32 * 1024 * 1024
"""Of the stores of a task, all together: smaller ones need no RocksDB."""
_GLOBAL_TASK = "global_tables"


class Closable(Protocol):
    """What is closed at the end."""

    def close(self) -> None: ...


def local_root() -> str | None:
    """Return the folder in which Spark lets a worker keep files; None for the machine's own."""
    root = os.environ.get("SPARK_LOCAL_DIRS", gettempdir()).split(",")[0]
    return root if Path(root).is_dir() else None


class LocalState:
    """The state of a Spark partition, in a folder that is deleted at the end."""

    def __init__(self, config: StreamsConfig, task_class: type[Task] = BoundedTask) -> None:
        self._config, self._task_class = config, task_class
        # The user's own engines may share a server with the live application, or with another
        # attempt of this Spark task.
        self._application_id = f"{config.application_id}-{new_id()}"
        self._budget = CacheBudget(config.cache_bytes_max)
        self._reserve = Reserve(_RESERVE_BYTES)
        self._at_end = ExitStack()

    def __enter__(self) -> LocalState:
        self.folder = Path(mkdtemp(prefix="penstock-", dir=local_root()))
        self._at_end.callback(rmtree, self.folder, ignore_errors=True)
        self._state = StateDirectory(self.folder, self._application_id)
        return self

    def __exit__(self, *_: object) -> None:
        self._at_end.close()

    def closing(self, opened: Closable) -> None:
        """Close an object when this one closes, after the tasks that use it."""
        self._at_end.callback(opened.close)

    def open_task(
        self, plan: TaskPlan, job: JobPlan, global_stores: Mapping[str, TaskStore]
    ) -> Task:
        """Open a task; it closes with this object."""
        task = self._task_class(
            plan.id,
            plan.subtopology,
            self._config,
            plan.inputs,
            job.partition_count,
            make_engine=self._engines(plan.id, plan.subtopology),
            cache_budget=self._budget,
            global_stores=global_stores,
            reserve=self._reserve,
        )
        self._at_end.callback(task.discard)
        return task

    def load_global_stores(
        self,
        plan: SubtopologyPlan | None,
        records: Iterable[tuple[Partition, list[RawRecord]]],
        now_ms: int,
    ) -> Mapping[str, TaskStore]:
        """Load the global stores from the records of their topics, before any task runs."""
        if plan is None:
            return {}
        task = GlobalTask(plan, self._config, self._engines(_GLOBAL_TASK, plan))
        self._at_end.callback(task.close)
        task.start(now_ms)
        for (topic, number), raws in records:
            if task.is_table(topic):
                # As at a live start, the rows of a table are copied undecoded.
                store = task.store_of(topic)
                store.restore(changes_of(raws, with_headers=store.keeps_headers), 0)
            else:
                for raw in raws:
                    task.update(topic, number, raw, now_ms)
        task.commit()
        return task.task_stores

    def _engines(self, task_id: str, plan: SubtopologyPlan) -> MakeEngine:
        directory = self._state.lock_task(task_id)
        self._at_end.callback(directory.release)
        for store in plan.stores.values():
            opens = own_engine_of(store)
            if opens is not None:
                name = store.builder.name
                place = StorePlace(self._application_id, task_id, name, directory.own_path(name))
                self._at_end.callback(destroy_state, opens, place)
        limit = _SMALL_STATE_BYTES // max(1, len(plan.stores))

        def make_engine(store: StorePlan) -> StoreEngine:
            def make() -> StoreEngine:
                return open_in(directory, store, self._config, self._application_id)

            if store.builder.engine != "rocksdb" or self._config.rocksdb_config_setter is not None:
                return make()
            return SpillingStore(make, limit)

        return make_engine
