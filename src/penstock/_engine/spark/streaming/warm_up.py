"""Starts the Python workers of a run while Spark still makes the source of its query.

Spark starts them when the first turn does, after three other Python processes that wait for each
other. A job with a task for each slot starts them beside these. Workers belong to a pool by their
environment, so the job has that of the query.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from pyspark import SparkContext

# What Spark adds to the environment of workers that run parts of a query, and not of plain jobs.
_OF_QUERIES = {"SPARK_SIMPLIFIED_TRACEBACK": "1"}


def warm_up(context: SparkContext, slots: int, variables: Mapping[str, str]) -> None:
    """Start workers of the pool with these variables, on a thread; return at once. For a session
    that has no other jobs: meanwhile they would be in the pool.
    """
    before = context.environment
    context.environment = {**before, **_OF_QUERIES, **variables}
    try:
        # Made here: it takes the environment of this moment.
        job: Any = context.parallelize(range(slots), slots).mapPartitions(import_engine)._jrdd
    finally:
        context.environment = before

    def run() -> None:
        # Without it the first turn starts the workers.
        with suppress(Exception):
            job.count()

    threading.Thread(target=run, name="penstock-warm-up", daemon=True).start()


def import_engine(_: Iterable[int]) -> Iterator[int]:
    """Import what a slot needs, in a worker."""
    import pyspark.sql.worker.plan_data_source_read  # noqa: F401, PLC0415

    import penstock._engine.control.engine_thread  # noqa: F401, PLC0415
    import penstock._engine.spark.streaming.arrow_rows  # noqa: F401, PLC0415

    return iter(())
