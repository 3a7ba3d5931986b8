"""Runs a task of a backfill that needs nothing but Kafka: it reads its partitions, and writes.

Where all tasks of a job are such, Spark only starts them, one Spark task for each: no rows in the
JVM, no shuffle, no Arrow. PySpark's workers import this module before they fork.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from penstock._engine.control.rare_collections import rare_collections
from penstock._engine.planner.stages import JobPlan
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.runtime.records import Output
from penstock._engine.runtime.task import Task
from penstock._engine.spark.batch.tasks.bounded_task import BackfillTask
from penstock._engine.spark.batch.tasks.deliveries import Deliveries, DeliveryPack, read_already
from penstock._engine.spark.batch.tasks.local_state import LocalState
from penstock._engine.spark.batch.tasks.task_loops import HostedTask, Looped, steps
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock.errors import StreamsError


@dataclass(frozen=True, slots=True)
class DirectPack:
    """What a worker needs to run a task."""

    job: JobPlan
    now_ms: int
    """The wall clock of the run, which is fixed: a Spark task that is retried sees the same."""
    records_per_commit: int
    delivery: DeliveryPack
    topic_feeds: TopicFeeds
    bytes_per_commit: int | None = None


def is_direct(job: JobPlan, feeds: TopicFeeds) -> bool:
    """Return whether each task of a job reads all its inputs from Kafka, and no task reads what
    another one writes.
    """
    return (
        job.global_stores is None
        and not job.hidden_topics
        and bool(job.stages)
        and all(
            not stage.is_cycle and feeds.topics_of(stage) == set(stage.topics())
            for stage in job.stages
        )
    )


def direct_tasks(job: JobPlan) -> list[TaskPlan]:
    """Return the tasks of a job whose order does not matter."""
    return [task for stage in job.stages for task in stage.tasks]


def run_direct(packed: bytes) -> Callable[[Iterable[int]], Iterator[int]]:
    """Return the function that Spark runs: it is given the numbers of tasks, and yields nothing."""

    def run(numbers: Iterable[int]) -> Iterator[int]:
        pack: DirectPack = pickle.loads(packed)
        tasks = direct_tasks(pack.job)
        try:
            for number in numbers:
                run_task(pack, tasks[number])
        except StreamsError as error:
            # Spark shows users the traceback: our own lines would not help them.
            raise error.with_traceback(None) from error.__cause__
        return iter(())

    return run


def run_task(pack: DirectPack, plan: TaskPlan) -> None:
    """Run a task from its first to its last record."""
    with (
        rare_collections(),
        LocalState(pack.job.config, BackfillTask) as state,
        Deliveries(pack.delivery, [plan]) as deliveries,
    ):

        def emit(task: Task, outputs: list[Output]) -> list[Looped]:
            for output in deliveries.take(task, outputs):
                raise read_already(output[0])
            return []

        task = state.open_task(plan, pack.job, {})
        hosted = HostedTask(
            plan,
            task,
            pack.now_ms,
            pack.records_per_commit,
            emit,
            bytes_per_commit=pack.bytes_per_commit,
        )
        for _ in steps(hosted, pack.topic_feeds.open(plan.inputs)):
            pass
        hosted.deliver_rest(deliveries)
