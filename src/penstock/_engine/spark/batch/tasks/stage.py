"""Runs a stage in a Python worker: the tasks of one Spark partition, from first to last record.

The runtime's task chooses the order of its records. This module does what a host does: it keeps
state in a directory that it deletes afterwards, refills empty queues, and commits after a fixed
number of records, so that results do not depend on a clock. Rows leave in batches.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from penstock._engine.control.rare_collections import rare_collections
from penstock._engine.planner.stages import JobPlan
from penstock._engine.planner.tasks import Partition
from penstock._engine.spark.batch.tasks.bounded_task import BackfillTask, BoundedTask
from penstock._engine.spark.batch.tasks.deliveries import Deliveries, DeliveryPack
from penstock._engine.spark.batch.tasks.feeds import Feed, Feeds
from penstock._engine.spark.batch.tasks.local_state import LocalState
from penstock._engine.spark.batch.tasks.output_router import OutputRouter
from penstock._engine.spark.batch.tasks.rows import add_store_rows
from penstock._engine.spark.batch.tasks.task_loops import HostedTask, run_cycle, run_one
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock.errors import StreamsError

if TYPE_CHECKING:
    from pyspark import Accumulator


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
    task_class = BoundedTask if pack.delivery is None else BackfillTask
    with rare_collections(), LocalState(pack.job.config, task_class) as state:
        stage, of_all = pack.job.stages[pack.number], pack.job.global_stores
        global_topics = [] if of_all is None else of_all.source_topics()
        feeds = Feeds(batches, stage.topics(), global_topics, state.folder)
        state.closing(feeds)
        number = feeds.spark_partition
        plans = stage.tasks if stage.is_cycle else (stage.tasks[number],)
        router = OutputRouter(pack.job, stage, number, pack.now_ms, pack.keeps_changelogs)
        if pack.delivery is not None:
            router.deliveries = Deliveries(pack.delivery, plans)
        with router.deliveries or nullcontext():
            global_stores = state.load_global_stores(of_all, feeds.global_records(), pack.now_ms)
            hosted = []
            for plan in plans:
                task = state.open_task(plan, pack.job, global_stores)
                emit = partial(router.take, plan)
                hosted.append(HostedTask(plan, task, pack.now_ms, pack.records_per_commit, emit))
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
    queues = _open_queues(pack, feeds, inputs)
    if hosted:
        is_cycle = pack.job.stages[pack.number].is_cycle
        yield from (
            run_cycle(hosted, queues, router)
            if is_cycle
            else run_one(hosted[0], queues, router.rows)
        )
    for one in hosted:
        if router.deliveries is not None:
            one.deliver_rest(router.deliveries)
            continue
        one.add_positions(router.rows)
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
