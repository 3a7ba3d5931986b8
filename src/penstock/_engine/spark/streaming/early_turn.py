"""A turn before the first one of the query: engines start while Spark still makes its source.

Spark starts workers when the first turn does, after three other Python processes that wait for each
other. A plain job with a task for each slot starts them, and their engines, beside these: they join
the group and open their tasks meanwhile. The first turn of the query finds them at work, as each
turn finds those of the one before it. Workers belong to a pool by their environment, so the job has
that of the query.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from pyspark import SparkContext

from penstock._engine.spark.session import is_local
from penstock._engine.spark.streaming.run import Run

EARLY_TURN = 0
"""Its number; the query counts from 1."""

# What Spark adds to the environment of workers that run parts of a query, and not of plain jobs.
_OF_QUERIES = {"SPARK_SIMPLIFIED_TRACEBACK": "1"}


def can_begin_early(context: SparkContext) -> bool:
    """Return whether the worker processes of a plain job serve the query as well."""
    reused = context.getConf().get("spark.python.worker.reuse", "true")
    return is_local(str(context.master)) and str(reused).lower() == "true"


def begin_early(context: SparkContext, slots: int, run: Run, variables: Mapping[str, str]) -> None:
    """Start engines in workers of the pool with these variables, on a thread; return at once. For a
    session that has no other jobs: meanwhile they would be in the pool.
    """
    before = context.environment
    context.environment = {**before, **_OF_QUERIES, **variables}
    try:
        # Made here: it takes the environment of this moment.
        tasks: Any = context.parallelize(range(slots), slots).mapPartitions(_slot_of(run))
        job = tasks._jrdd
    finally:
        context.environment = before

    def begin() -> None:
        # Without it the first turn starts the workers.
        with suppress(Exception):
            job.count()

    threading.Thread(target=begin, name="penstock-early-turn", daemon=True).start()


def _slot_of(run: Run) -> Callable[[Iterable[int]], Iterator[int]]:
    # As bytes: workers that end before they need it do not open it.
    shipped = pickle.dumps(run)

    def take_slot(indices: Iterable[int]) -> Iterator[int]:
        return start_engine(shipped, next(iter(indices)))

    return take_slot


def start_engine(shipped: bytes, index: int) -> Iterator[int]:
    """Start the engine of a slot in a worker; then import what the first turn needs beside it."""
    from penstock._engine.control.engine_thread import Turn, begin_turn  # noqa: PLC0415

    run: Run = pickle.loads(shipped)
    place = (EARLY_TURN, index)
    begin_turn(Turn(run.id, run.control, 0.0, run.lease_seconds, place, run.program, run.rows))

    import pyspark.sql.worker.plan_data_source_read  # noqa: F401, PLC0415

    import penstock._engine.spark.streaming.arrow_rows  # noqa: F401, PLC0415

    return iter(())
