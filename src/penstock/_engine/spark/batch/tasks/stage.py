"""A stage in a Python worker: the tasks of one Spark partition, run from first to last record.

The task is the one of the runtime, and the order in which it takes its records is its own; here is
only what a host does: state in a directory that is deleted afterwards, the records of each queue
when it runs empty, and a commit after a fixed number of records, so that it never depends on a
clock. Rows go out as they come; nothing is collected.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import TYPE_CHECKING

import pyarrow as pa

from penstock._clock import new_id
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.stages import JobPlan
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.runtime.global_task import GlobalTask
from penstock._engine.runtime.stores.engine_choice import open_in
from penstock._engine.runtime.stores.task_stores import MakeEngine, TaskStore
from penstock._engine.runtime.stores.user_engines import own_engine_of
from penstock._engine.runtime.task import Task
from penstock._engine.spark.batch.tasks.bounded_task import BoundedTask
from penstock._engine.spark.batch.tasks.delivering import Deliveries, DeliveryPack
from penstock._engine.spark.batch.tasks.feeds import Feeds
from penstock._engine.spark.batch.tasks.outlet import Outlet
from penstock._engine.spark.batch.tasks.store_rows import add_store_rows
from penstock._engine.spark.batch.tasks.task_loops import Hosted, run_alone, run_together
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.files.directory import StateDirectory
from penstock._engine.state.overlay import Reserve
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.stores import StorePlace
from penstock.stores._open_engine import destroy_state

if TYPE_CHECKING:
    from pyspark import Accumulator

_RESERVE_BYTES = 32 * 1024 * 1024
_ALL = "global_tables"


def _tell_nobody(processed: int) -> None:
    """Nobody wants to know how many records were processed."""


@dataclass(frozen=True, slots=True)
class StagePack:
    """What a worker is told of a stage."""

    job: JobPlan
    number: int
    now_ms: int
    """The wall clock of the run, which stands still: a task that is run again sees the same."""
    records_per_commit: int
    keeps_changelogs: bool
    """Whether changelog records and what circles send each other are given out."""
    delivery: DeliveryPack | None = None


def run_stage(
    packed: bytes, processed: Accumulator[int]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Give the function that Spark runs on each partition of a stage."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pack: StagePack = pickle.loads(packed)
        try:
            yield from work(pack, batches, processed.add)
        except StreamsError as error:
            # Spark shows users where it was raised: our own lines would tell them nothing.
            raise error.with_traceback(None) from error.__cause__

    return run


def work(
    pack: StagePack, batches: Iterable[pa.RecordBatch], tell: Callable[[int], None] = _tell_nobody
) -> Iterator[pa.RecordBatch]:
    """Run the tasks of one Spark partition of a stage; give what they write."""
    stage, of_all = pack.job.stages[pack.number], pack.job.global_stores
    feeds = Feeds(batches, stage.topics(), [] if of_all is None else of_all.source_topics())
    spark_partition = feeds.spark_partition
    plans = stage.tasks if stage.is_circle else (stage.tasks[spark_partition],)
    outlet = Outlet(pack.job, stage, spark_partition, pack.now_ms, pack.keeps_changelogs)
    if pack.delivery is not None:
        outlet.deliveries = Deliveries(pack.delivery, plans)
    with _Home(pack.job.config) as home, outlet.deliveries or nullcontext():
        global_stores = home.load_global_stores(of_all, feeds, pack.now_ms)
        hosted = []
        for plan in plans:
            task = home.open_task(plan, pack.job, global_stores)
            hosted.append(Hosted(plan, task, pack.now_ms, pack.records_per_commit, outlet))
        inputs = [place for plan in plans for place in plan.inputs if not outlet.routes(place[0])]
        queues = feeds.open(inputs, home.folder)
        if hosted:
            run = run_together(hosted, queues) if stage.is_circle else run_alone(hosted[0], queues)
            yield from run
        tell(sum(one.task.counters.processed for one in hosted))
        for one in hosted:
            if outlet.deliveries is not None:
                # The rows of its stores are in their changelogs.
                one.deliver_rest(outlet.deliveries)
                continue
            one.add_positions()
            for name in one.plan.subtopology.stores:
                store = one.task.task_store(name)
                assert store is not None
                yield from add_store_rows(store, one.plan.partition, outlet.rows)
        if pack.number == 0 and spark_partition == 0 and outlet.deliveries is None:
            # All copies are equal: one of them is shown.
            for store in global_stores.values():
                yield from add_store_rows(store, 0, outlet.rows)
    yield outlet.rows.take()


class _Home:
    """Where the state of a Spark partition lives while it is worked on."""

    def __init__(self, config: StreamsConfig) -> None:
        self._config = config
        # Engines of the user's own may share a server with the application in earnest, or with a
        # copy of this very work that Spark has started elsewhere.
        self._application_id = f"{config.application_id}-{new_id()}"
        self._budget = CacheBudget(config.cache_bytes_max)
        self._reserve = Reserve(_RESERVE_BYTES)
        self._at_end = ExitStack()

    def __enter__(self) -> _Home:
        root = os.environ.get("SPARK_LOCAL_DIRS", gettempdir()).split(",")[0]
        self.folder = Path(mkdtemp(prefix="penstock-", dir=root if Path(root).is_dir() else None))
        self._at_end.callback(rmtree, self.folder, ignore_errors=True)
        self._state = StateDirectory(self.folder, self._application_id)
        return self

    def __exit__(self, *_: object) -> None:
        self._at_end.close()

    def open_task(
        self, plan: TaskPlan, job: JobPlan, global_stores: Mapping[str, TaskStore]
    ) -> Task:
        """Open a task; it is closed with this home."""
        task = BoundedTask(
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
        self, plan: SubtopologyPlan | None, feeds: Feeds, now_ms: int
    ) -> Mapping[str, TaskStore]:
        """Read whole topics into their stores, before any task runs."""
        if plan is None:
            return {}
        task = GlobalTask(plan, self._config, self._engines(_ALL, plan))
        self._at_end.callback(task.close)
        task.start(now_ms)
        for (topic, number), raws in feeds.global_records():
            if task.is_table(topic):
                # As at a live start: nobody need read the rows of a table to copy it.
                rows = [(key, value, time) for _, time, key, value, _ in raws if key is not None]
                task.store_of(topic).restore(rows, 0)
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
        return lambda store: open_in(directory, store, self._config, self._application_id)
