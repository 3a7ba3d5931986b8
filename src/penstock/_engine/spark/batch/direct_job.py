"""A backfill whose tasks need nothing but Kafka, as one plain Spark job.

Its tasks do not depend on each other, so they run in any order, as many at once as there are cores.
Spark SQL has no part in it: its planning and its generated code took longer than the records.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import SparkSession

from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.spark.batch.progress import job_group
from penstock._engine.spark.batch.tasks.direct import DirectPack, direct_tasks, run_direct
from penstock._engine.spark.session import is_local
from penstock._engine.spark.shipping.shipping import dumps, pack
from penstock.errors import StreamsError


class DirectJobError(StreamsError):
    """Spark has given up a task."""


def run_direct_job(session: SparkSession, job: DirectPack) -> None:
    """Run all tasks of a job.

    Raises:
        TopologyError: a function cannot be pickled.
        DirectJobError: a task has failed.
    """
    plan = job.job
    tasks = direct_tasks(plan)
    pack(Blueprint(plan.config, tuple(tasks), {}, "", frozenset(), None))
    context = session.sparkContext
    numbers = context.parallelize(range(len(tasks)), len(tasks))
    names = ", ".join(stage.name for stage in plan.stages)
    with job_group(context, f"{plan.config.application_id}: {names}"):
        try:
            _jvm_rdd(numbers.mapPartitions(run_direct(dumps(job)))).count()
        except Py4JError as error:
            raise DirectJobError(_reason(error)) from None


def warm_workers(context: SparkContext, workers: int) -> None:
    """Start the Python workers of a session while the job is planned, on a thread; return at once.
    Only those of this machine: on a cluster, packages may come later than the workers.
    """
    if not is_local(str(context.master)):
        return
    job = _jvm_rdd(context.parallelize(range(workers), workers).mapPartitions(iter))

    def start() -> None:
        # Without it the job starts them.
        with suppress(Exception):
            job.count()

    threading.Thread(target=start, name="penstock-warm-workers", daemon=True).start()


def _jvm_rdd(rdd: Any) -> Any:
    # Counted in the JVM: `RDD.count` of Python runs one more function over the results.
    return rdd._jrdd


def _reason(error: Py4JError) -> str:
    """Return what the worker has raised, without the stack of the JVM."""
    text = str(getattr(error, "java_exception", error))
    _, found, told = text.partition("Traceback (most recent call last)")
    lines = (told or text).strip().splitlines()
    stack = next((at for at, line in enumerate(lines) if line.startswith("\tat ")), len(lines))
    return "\n".join([found, *lines[1:stack]] if found else lines[:stack]).strip()
