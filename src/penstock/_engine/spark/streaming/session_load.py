"""What a session can run at once, and whether its other jobs wait for cores.

Both are asked of Spark's own books: the scheduler's cores, the settings of dynamic allocation, and
the stages that are active now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark import SparkContext

from penstock._engine.control.slot_plan import Capacity

POOL = "penstock"
"""The scheduler pool of all turns. With `spark.scheduler.mode=FAIR` they and other jobs share the
cores; in any mode Spark shows by it which stages are turns.
"""
_POOL_PROPERTY = "spark.scheduler.pool"


@contextmanager
def in_pool(context: SparkContext) -> Iterator[None]:
    """Queries that this thread starts meanwhile run in the pool of turns."""
    before = context.getLocalProperty(_POOL_PROPERTY)
    context.setLocalProperty(_POOL_PROPERTY, POOL)
    try:
        yield
    finally:
        context.setLocalProperty(_POOL_PROPERTY, before)  # type: ignore[arg-type]


def capacity_of(context: SparkContext) -> Capacity:
    """Return how many slots the executors can run at once, and how many if all may be added.

    Not the default parallelism, which is a setting, and at least two.
    """
    scala_context: Any = context._jsc.sc()
    profile = scala_context.resourceProfileManager().defaultResourceProfile()
    present = int(scala_context.maxNumConcurrentTasks(profile))
    conf = dict(context.getConf().getAll())
    # Spark knows none where the driver runs the tasks.
    if not allocates_dynamically(conf) or scala_context.isLocal():
        return Capacity(present)
    executors = int(scala_context.getExecutorIds().size())
    return Capacity(present, most_slots(conf, present, executors))


def allocates_dynamically(conf: Mapping[str, str]) -> bool:
    """Return whether Spark adds executors when tasks wait."""
    return conf.get("spark.dynamicAllocation.enabled", "false").lower() == "true"


def most_slots(conf: Mapping[str, str], present: int, executors: int) -> int:
    """Return how many slots fit if dynamic allocation has added all executors it may.

    An executor that is there says how many fit on one; else the settings do.
    """
    of_one = int(conf.get("spark.executor.cores", "1")) // int(conf.get("spark.task.cpus", "1"))
    each = max(1, present // executors if executors else of_one)
    most = conf.get("spark.dynamicAllocation.maxExecutors", "infinity").lower()
    if not most.isdigit():
        return 2**31 - 1
    return max(present, each * max(1, int(most)))


def others_wait(context: SparkContext) -> bool:
    """Return whether tasks of jobs that are no turns have no core to run on."""
    store: Any = context._jsc.sc().statusStore()
    stages = store.activeStages()
    return any(_waits(stages.apply(index)) for index in range(stages.size()))


def _waits(stage: Any) -> bool:
    if stage.schedulingPool() == POOL:
        return False
    # A task that fails is another attempt, and is not counted as complete.
    return int(stage.numTasks()) > int(stage.numActiveTasks()) + int(stage.numCompleteTasks())
