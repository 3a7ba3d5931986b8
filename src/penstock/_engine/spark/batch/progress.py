"""Computes a job stage by stage, names the stages in Spark's UI and reports the progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from pyspark import SparkContext
from pyspark.sql import DataFrame

from penstock._clock import monotonic, new_id
from penstock._engine.spark.batch.arrow_map import is_connect
from penstock._engine.spark.batch.job import Job

_POLL_SECONDS = 0.5
_DESCRIPTION, _GROUP = "spark.job.description", "spark.jobGroup.id"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a bounded run is."""

    stage: int
    """The number of the current stage, from 1."""
    stages: int
    name: str
    """What the stage runs: its sub-topologies."""
    partitions_done: int
    """Spark partitions of this stage that are done."""
    partitions: int
    records: int | None
    """Records that were processed in Spark partitions that are done; None over Spark Connect, which
    does not count them.
    """
    seconds: float
    seconds_left: float | None
    """An estimate, None as long as there is no basis for one."""

    def __str__(self) -> str:
        left = "" if self.seconds_left is None else f", about {self.seconds_left:.0f} s left"
        records = "" if self.records is None else f" {self.records:,} records,"
        return (
            f"stage {self.stage} of {self.stages} ({self.name}): {self.partitions_done} of "
            f"{self.partitions} partitions,{records} {self.seconds:.0f} s{left}"
        )


OnProgress: TypeAlias = Callable[[Progress], None]


def compute(job: Job, on_progress: OnProgress | None = None) -> None:
    """Compute all stages, one after the other, and persist what they write."""
    began = monotonic()
    widths = [stage.spark_partitions for stage in job.plan.stages]
    for stage, frame in zip(job.plan.stages, job.stages, strict=True):
        number, count = stage.number + 1, len(widths)
        title = f"{job.plan.config.application_id}: stage {number} of {count}, {stage.name}"

        def report(done: int, stage: int = stage.number, name: str = stage.name) -> None:
            assert on_progress is not None
            seconds = monotonic() - began
            share = (sum(widths[:stage]) + done) / sum(widths)
            left = seconds / share - seconds if share else None
            processed, of = job.records_processed, widths[stage]
            records = None if processed is None else processed.value
            on_progress(Progress(stage + 1, len(widths), name, done, of, records, seconds, left))

        width = widths[stage.number]
        with _shown(frame, title, width, None if on_progress is None else report):
            _materialize(frame)
        if on_progress is not None:
            report(width)


def _materialize(frame: DataFrame) -> None:
    # Computes every row in place and drops it; the persisted copy stays.
    frame.write.format("noop").mode("overwrite").save()


@contextmanager
def _shown(
    frame: DataFrame, title: str, partitions: int, report: Callable[[int], None] | None
) -> Iterator[None]:
    """Name the Spark jobs of this thread, and report how far they are. Spark Connect shows neither
    names nor stages: there only the end of each stage is reported.
    """
    if is_connect(frame):
        yield
        return
    context = frame.sparkSession.sparkContext
    with job_group(context, title) as group:
        if report is None:
            yield
            return
        with _reported(context, group, partitions, report):
            yield


@contextmanager
def job_group(context: SparkContext, title: str) -> Iterator[str]:
    """Set the description and the group of this thread's Spark jobs; yield the group."""
    before = {name: context.getLocalProperty(name) for name in (_DESCRIPTION, _GROUP)}
    group = f"penstock-{new_id()}"
    context.setLocalProperty(_GROUP, group)
    context.setLocalProperty(_DESCRIPTION, title)
    try:
        yield group
    finally:
        for name, value in before.items():
            context.setLocalProperty(name, value)  # type: ignore[arg-type]


@contextmanager
def _reported(
    context: SparkContext, group: str, partitions: int, report: Callable[[int], None]
) -> Iterator[None]:
    """Report regularly how many Spark partitions of a group's last Spark stage are done."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_POLL_SECONDS):
            report(min(partitions, _done(context, group)))

    watcher = threading.Thread(target=watch, name="penstock-progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _done(context: SparkContext, group: str) -> int:
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    last = max((stage for job in jobs if job is not None for stage in job.stageIds), default=None)
    info = None if last is None else tracker.getStageInfo(last)
    return 0 if info is None else info.numCompletedTasks
