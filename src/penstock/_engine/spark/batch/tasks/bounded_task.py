"""The task of a bounded run: the runtime's, but it refuses wall-clock timers, which never fire.
That of a backfill takes them: the live application, which goes on, fires them.

Only its initialization shows whether a processor starts such a timer. So before a job begins,
`refuse_unfit` initializes the user's processors once, with empty stores in memory, and closes them.
"""

from __future__ import annotations

from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.stages import JobPlan
from penstock._engine.runtime.global_task import GlobalTask
from penstock._engine.runtime.punctuation import Schedule
from penstock._engine.runtime.stores.task_stores import TaskStore, memory_engine
from penstock._engine.runtime.task import Task
from penstock._engine.topology.nodes.stream_nodes import ProcessorNode, UserProcessor, title_of
from penstock._engine.topology.nodes.table_nodes import TableTransformValues
from penstock.errors import ConfigError, StreamsError
from penstock.processor import Cancellable, PunctuationType, Punctuator
from penstock.timestamps import WallclockTimestampExtractor


class WallClockError(StreamsError):
    """The program of a bounded run needs a wall clock that moves."""


class BoundedTask(Task):
    """A task for which the wall clock stands still."""

    def schedule(
        self,
        node: ProcessorNode,
        interval_ms: int,
        type: PunctuationType,
        callback: Punctuator,
        start_ms: int | None,
    ) -> Cancellable:
        """Start a timer of stream time; refuse one of the wall clock."""
        if type is PunctuationType.WALL_CLOCK_TIME:
            msg = (
                f"{title_of(node)} schedules a timer of the wall clock, which stands still in a "
                "bounded run: it would never fire; use PunctuationType.STREAM_TIME, or run the "
                "topology live with KafkaStreams"
            )
            raise WallClockError(msg)
        return super().schedule(node, interval_ms, type, callback, start_ms)


class BackfillTask(Task):
    """A task for which the wall clock stands still until the application is live."""

    def schedule(
        self,
        node: ProcessorNode,
        interval_ms: int,
        type: PunctuationType,
        callback: Punctuator,
        start_ms: int | None,
    ) -> Cancellable:
        """Start a timer of stream time; one of the wall clock never fires, wherever it begins."""
        if type is PunctuationType.WALL_CLOCK_TIME:
            return Schedule(node, 0, interval_ms, callback)
        return super().schedule(node, interval_ms, type, callback, start_ms)


def has_user_code(plan: SubtopologyPlan) -> bool:
    """Return whether the plan has user processors, which may start timers and request commits."""
    kinds = (UserProcessor, TableTransformValues)
    return any(
        isinstance(node, ProcessorNode) and isinstance(node.operation, kinds) for node in plan.nodes
    )


def refuse_unfit(job: JobPlan, now_ms: int) -> None:
    """Refuse programs that lack a serde, or whose results would depend on when they are run.

    Raises:
        ConfigError: a store, a sink or a join has no serde.
        WallClockError: a source takes the wall clock for its records' time, or a processor starts
            a timer of it.
    """
    for stage in job.stages:
        for plan in stage.plans:
            _refuse_extractors(plan, job)
            _try_out(plan, job, now_ms)


def _refuse_extractors(plan: SubtopologyPlan, job: JobPlan) -> None:
    for source in plan.sources():
        extractor = source.timestamp_extractor or job.config.default_timestamp_extractor
        if isinstance(extractor, WallclockTimestampExtractor):
            msg = (
                f"{title_of(source)} takes the time of its records from the wall clock: a bounded "
                "run would give other results each time; use the records' own time, or another "
                "timestamp extractor"
            )
            raise WallClockError(msg)


def _try_out(plan: SubtopologyPlan, job: JobPlan, now_ms: int) -> None:
    """Make a task and initialize its processors; other errors show in the job."""
    task = None
    try:
        task = BoundedTask(
            f"{plan.id}_0",
            plan,
            job.config,
            (),
            job.partition_count,
            global_stores=_empty_global_stores(job, now_ms),
        )
        task.start(now_ms)
    except ConfigError:
        raise
    except Exception as error:
        refused = _refusal_in(error)
        if refused is not None:
            raise refused from None
    finally:
        if task is not None:
            task.discard()


def _empty_global_stores(job: JobPlan, now_ms: int) -> dict[str, TaskStore]:
    if job.global_stores is None:
        return {}
    task = GlobalTask(job.global_stores, job.config, memory_engine)
    task.start(now_ms)
    return task.task_stores


def _refusal_in(error: BaseException | None) -> WallClockError | None:
    while error is not None and not isinstance(error, WallClockError):
        error = error.__cause__
    return error
