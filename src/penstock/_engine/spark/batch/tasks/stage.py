"""Runs a stage in a Python worker: the tasks of one Spark partition, from first to last record.

The runtime's task chooses the order of its records. This module does what a host does: it keeps
state in a directory that it deletes afterwards, refills empty queues, and commits after a fixed
number of records, so that results do not depend on a clock. Rows leave in batches.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import TYPE_CHECKING

import pyarrow as pa

from penstock._clock import new_id
from penstock._engine.planner.plan import StorePlan, SubtopologyPlan
from penstock._engine.planner.stages import JobPlan
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.global_task import GlobalTask
from penstock._engine.runtime.stores.engine_choice import open_in
from penstock._engine.runtime.stores.task_stores import MakeEngine, TaskStore
from penstock._engine.runtime.stores.user_engines import own_engine_of
from penstock._engine.runtime.task import Task
from penstock._engine.spark.batch.tasks.bounded_task import BoundedTask
from penstock._engine.spark.batch.tasks.deliveries import Deliveries, DeliveryPack
from penstock._engine.spark.batch.tasks.feeds import Feed, Feeds
from penstock._engine.spark.batch.tasks.output_router import OutputRouter
from penstock._engine.spark.batch.tasks.rows import add_store_rows
from penstock._engine.spark.batch.tasks.task_loops import HostedTask, run_cycle, run_one
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.files.directory import StateDirectory
from penstock._engine.state.overlay import Reserve
from penstock._engine.state.spilling import SpillingStore
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.stores import StorePlace
from penstock.stores._open_engine import destroy_state

if TYPE_CHECKING:
    from pyspark import Accumulator

_RESERVE_BYTES = 32 * 1024 * 1024
_SMALL_STATE_BYTES = 32 * 1024 * 1024
"""Of the stores of a task, all together: smaller ones need no RocksDB."""
_GLOBAL_TASK = "global_tables"


def _ignore(processed: int) -> None:
    """Drop the number of records that were processed."""


@dataclass(frozen=True, slots=True)
class StagePack:
    """What a worker needs to run a stage."""

    job: JobPlan
    number: int
    now_ms: int
    """The wall clock of the run, which is fixed: a Spark task that is retried sees the same."""
    records_per_commit: int
    keeps_changelogs: bool
    """Whether changelog records, and records inside a cycle, become rows."""
    delivery: DeliveryPack | None = None
    topic_feeds: TopicFeeds | None = None
    """Of a backfill: the inputs that its tasks read from Kafka."""


def run_stage(
    packed: bytes, processed: Accumulator[int] | None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that Spark runs on each Spark partition of a stage."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pack: StagePack = pickle.loads(packed)
        try:
            yield from run_tasks(pack, batches, _ignore if processed is None else processed.add)
        except StreamsError as error:
            # Spark shows users the traceback: our own lines would not help them.
            raise error.with_traceback(None) from error.__cause__

    return run


def run_tasks(
    pack: StagePack,
    batches: Iterable[pa.RecordBatch],
    on_processed: Callable[[int], None] = _ignore,
) -> Iterator[pa.RecordBatch]:
    """Run the tasks of one Spark partition of a stage; yield what they write."""
    with _LocalState(pack.job.config) as state:
        stage, of_all = pack.job.stages[pack.number], pack.job.global_stores
        global_topics = [] if of_all is None else of_all.source_topics()
        feeds = state.open_feeds(batches, stage.topics(), global_topics)
        number = feeds.spark_partition
        plans = stage.tasks if stage.is_cycle else (stage.tasks[number],)
        router = OutputRouter(pack.job, stage, number, pack.now_ms, pack.keeps_changelogs)
        if pack.delivery is not None:
            router.deliveries = Deliveries(pack.delivery, plans)
        with router.deliveries or nullcontext():
            global_stores = state.load_global_stores(of_all, feeds, pack.now_ms)
            hosted = []
            for plan in plans:
                task = state.open_task(plan, pack.job, global_stores)
                hosted.append(HostedTask(plan, task, pack.now_ms, pack.records_per_commit, router))
            yield from _run_hosted(pack, hosted, feeds, router)
            on_processed(sum(one.task.counters.processed for one in hosted))
            # Of a backfill, changelogs in Kafka have the rows of its stores. All copies of global
            # stores are equal: one of them becomes rows.
            if router.deliveries is None and pack.number == 0 and number == 0:
                for store in global_stores.values():
                    yield from add_store_rows(store, 0, router.rows)
        yield router.rows.take()


def _run_hosted(
    pack: StagePack, hosted: list[HostedTask], feeds: Feeds, router: OutputRouter
) -> Iterator[pa.RecordBatch]:
    """Run tasks to their last record; yield what they write, then the rows of their stores."""
    inputs = [place for one in hosted for place in one.plan.inputs]
    queues = _open_queues(pack, feeds, [one for one in inputs if not router.loops_back(one[0])])
    if hosted:
        is_cycle = pack.job.stages[pack.number].is_cycle
        yield from run_cycle(hosted, queues) if is_cycle else run_one(hosted[0], queues)
    for one in hosted:
        if router.deliveries is not None:
            one.deliver_rest(router.deliveries)
            continue
        one.add_positions()
        for name in one.plan.subtopology.stores:
            store = one.task.task_store(name)
            assert store is not None
            yield from add_store_rows(store, one.plan.partition, router.rows)


def _open_queues(
    pack: StagePack, feeds: Feeds, inputs: Iterable[Partition]
) -> dict[Partition, Feed]:
    """Return the records of each partition: those that Spark brings, and those of Kafka."""
    if pack.topic_feeds is None:
        return feeds.open(inputs)
    of_kafka = pack.topic_feeds.topics_of(pack.job.stages[pack.number])
    brought = feeds.open([place for place in inputs if place[0] not in of_kafka])
    return brought | pack.topic_feeds.open(place for place in inputs if place[0] in of_kafka)


def local_root() -> str | None:
    """Return the folder in which Spark lets a worker keep files; None for the machine's own."""
    root = os.environ.get("SPARK_LOCAL_DIRS", gettempdir()).split(",")[0]
    return root if Path(root).is_dir() else None


class _LocalState:
    """The state of a Spark partition, in a folder that is deleted at the end."""

    def __init__(self, config: StreamsConfig) -> None:
        self._config = config
        # The user's own engines may share a server with the live application, or with another
        # attempt of this Spark task.
        self._application_id = f"{config.application_id}-{new_id()}"
        self._budget = CacheBudget(config.cache_bytes_max)
        self._reserve = Reserve(_RESERVE_BYTES)
        self._at_end = ExitStack()

    def __enter__(self) -> _LocalState:
        self._folder = Path(mkdtemp(prefix="penstock-", dir=local_root()))
        self._at_end.callback(rmtree, self._folder, ignore_errors=True)
        self._state = StateDirectory(self._folder, self._application_id)
        return self

    def __exit__(self, *_: object) -> None:
        self._at_end.close()

    def open_feeds(
        self,
        batches: Iterable[pa.RecordBatch],
        topics: Sequence[str],
        global_topics: Sequence[str],
    ) -> Feeds:
        """Shelve the runs of the queues; they close with this object."""
        feeds = Feeds(batches, topics, global_topics, self._folder)
        self._at_end.callback(feeds.close)
        return feeds

    def open_task(
        self, plan: TaskPlan, job: JobPlan, global_stores: Mapping[str, TaskStore]
    ) -> Task:
        """Open a task; it closes with this object."""
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
        """Load the global stores from their topics, before any task runs."""
        if plan is None:
            return {}
        task = GlobalTask(plan, self._config, self._engines(_GLOBAL_TASK, plan))
        self._at_end.callback(task.close)
        task.start(now_ms)
        for (topic, number), raws in feeds.global_records():
            if task.is_table(topic):
                # As at a live start, the rows of a table are copied undecoded.
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
        limit = _SMALL_STATE_BYTES // max(1, len(plan.stores))

        def make_engine(store: StorePlan) -> StoreEngine:
            def make() -> StoreEngine:
                return open_in(directory, store, self._config, self._application_id)

            if store.builder.engine != "rocksdb" or self._config.rocksdb_config_setter is not None:
                return make()
            return SpillingStore(make, limit)

        return make_engine
