"""A backfill in the driver: plan, job, handover. The order makes it safe to kill at any time.

1. The application must have no past, or one that this very backfill has begun.
2. Internal topics are made as at a live start; the plan is written to Kafka.
3. The job runs stage by stage; its tasks write to Kafka, each in transactions of its own.
4. One transaction commits the input offsets and deletes the plan.

A backfill that dies before 4 runs again with the same plan; after 4 the application can go live.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from penstock._clock import SystemClock, monotonic, new_id
from penstock._engine.control.protocol.messages import ControlAddress, WorkerFailure
from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.kafka.application.backfill_journal import BackfillPlan
from penstock._engine.kafka.backfill.admission import Admitted, admit
from penstock._engine.kafka.backfill.delivery import DeliverySite, compacted_changelogs
from penstock._engine.kafka.backfill.handover import Handover
from penstock._engine.kafka.backfill.retention import inputs_of_windows, keep_windows
from penstock._engine.operators.stateless import empty_files
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.planner.layout import draft_of
from penstock._engine.planner.stages import JobPlan, plan_job, topics_of_marks
from penstock._engine.spark.batch.backfill_inputs import (
    InputOptions,
    Inputs,
    open_inputs,
    without_offsets,
)
from penstock._engine.spark.batch.direct_job import DirectJobError, run_direct_job, warm_workers
from penstock._engine.spark.batch.inputs import has_all_offsets, has_offsets
from penstock._engine.spark.batch.job import Job, JobOptions
from penstock._engine.spark.batch.progress import Progress, compute
from penstock._engine.spark.batch.start import settings_of
from penstock._engine.spark.batch.tasks.deliveries import DeliveryPack, TaskProgress
from penstock._engine.spark.batch.tasks.direct import DirectPack, is_direct
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds, can_be_read
from penstock._engine.spark.session import BACKFILL_LOG, launch_early, refuse_connect, session_for
from penstock._engine.topology.checks import refuse_initial
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BackfillProgress:
    """How far a backfill is."""

    stage: int
    stages: int
    processed: int
    """Records that tasks have processed, those of repartition topics too."""
    known: int
    """How many there are to process, as far as is known."""


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """The outcome of a backfill."""

    records_in: int
    """About how many records of the inputs it has read."""
    records_out: int
    """How many records it has written to topics and changelogs, earlier runs included."""
    ends: Mapping[str, Mapping[int, int]]
    """Where the live application goes on, by topic and partition."""
    resumed: bool
    """Whether it has resumed an earlier run."""
    seconds: float
    """How long the job took, without the start of Spark."""


OnAdvance: TypeAlias = Callable[[BackfillProgress], None]


def backfill(
    topology: Topology,
    config: StreamsConfig,
    options: InputOptions | None = None,
    *,
    reset: bool = False,
    spark: SparkSession | None = None,
    on_advance: OnAdvance = lambda advance: None,
) -> BackfillReport:
    """Write an application's past: outputs, state and offsets, as if it had been live.

    Raises:
        StreamsError: it has a past already, an input does not fit, or the job failed; what it has
            written stays, and another run resumes from there.
    """
    options = options or InputOptions()
    refuse_initial(topology.initial_tables, "give the DataFrame in inputs=")
    topology = with_default_stores(topology, config)
    admitted, session, owned = _start(topology, config, options, reset=reset, spark=spark)
    try:
        blueprint = admitted.blueprint
        topics = topics_with_history(blueprint)
        inputs = open_inputs(admitted, topics, options, session)
        plan = admitted.begun or BackfillPlan(
            new_id(),
            admitted.program_id,
            SystemClock().now_ms(),
            inputs.plans,
            tasks=tuple(task.id for task in blueprint.tasks),
        )
        handover = Handover(blueprint, plan, admitted.admin)
        try:
            _check_marks(admitted, inputs)
            if admitted.begun is None:
                _keep_old_windows(admitted, inputs, plan.began_ms)
                handover.write_plan()
            empty_files(topology.nodes.values())
            job_plan, began = plan_backfill(topology, admitted, inputs.plans), monotonic()
            run = _Run(session, blueprint, plan, inputs.records, on_advance)
            run.run_stages(job_plan, inputs)
            written, seconds = handover.finish(), monotonic() - began
        finally:
            handover.close()
    finally:
        if owned:
            session.stop()
    ends = {topic: one.ends for topic, one in plan.inputs.items()}
    return BackfillReport(inputs.records, written, ends, admitted.begun is not None, seconds)


def _start(
    topology: Topology,
    config: StreamsConfig,
    options: InputOptions,
    *,
    reset: bool,
    spark: SparkSession | None,
) -> tuple[Admitted, SparkSession, bool]:
    """Admit the application and start Spark, at the same time as far as possible; return both, and
    whether the session is ours.
    """
    refuse_connect(spark, heavy=True)
    id_, files = config.application_id, options.files
    # Before a reset deletes anything.
    marked = _check_marks_early(topology, id_, files) if reset else frozenset[str]()
    heavy = bool(files) or not can_be_direct(topology, id_)
    early = launch_early(config, spark, heavy=heavy, log=BACKFILL_LOG)
    session, owned = None, False
    try:
        if marked:
            session, owned = session_for(config, spark, heavy=heavy, early=early, log=BACKFILL_LOG)
            _check_marks_early(topology, id_, files, without_offsets(options, session))
        admitted = admit(topology, config, reset=reset)
        if session is None:
            session, owned = session_for(config, spark, heavy=heavy, early=early, log=BACKFILL_LOG)
    except BaseException:
        if session is not None and owned:
            session.stop()
        elif early is not None:
            early.abandon()
        raise
    if owned and not heavy:
        try:
            workers = min(session.sparkContext.defaultParallelism, len(admitted.blueprint.tasks))
            warm_workers(session.sparkContext, workers)
        except BaseException:
            session.stop()
            raise
    return admitted, session, owned


def can_be_direct(topology: Topology, application_id: str) -> bool:
    """Return whether it is known before the cluster is asked that `is_direct` will hold, where all
    history is in Kafka: no repartition topics, no topics of its own that it reads again, no global
    tables, and no more topics than a task reads itself. Patterns may match more.
    """
    draft = draft_of(topology, application_id)
    own = bool(draft.repartition_topics) or not set(draft.outputs).isdisjoint(draft.task_inputs)
    few = all(can_be_read(set(plan.source_topics())) for plan in draft.plans)
    return draft.global_stores is None and not own and few and not draft.has_patterns


def _check_marks(admitted: Admitted, inputs: Inputs) -> None:
    """Refuse `write_once` of records that have no offsets on the cluster; a backfill that has begun
    with it must go on, or nothing could end it.
    """
    tasks = admitted.blueprint.tasks
    plans = {task.subtopology.id: task.subtopology for task in tasks}.values()
    known = set(inputs.plans)
    known -= {topic for topic, frame in inputs.given.items() if not has_offsets(frame)}
    try:
        marked = topics_of_marks(plans, known) & set(inputs.given)
        # Rows are read only if `write_once` needs their offsets.
        known -= {topic for topic in marked if not has_all_offsets(inputs.given[topic])}
        topics_of_marks(plans, known)
    except StreamsError as error:
        if admitted.begun is None:
            raise
        _log.warning("the backfill has begun and goes on, but rows may be missing: %s", error)


def _check_marks_early(
    topology: Topology, application_id: str, files: Collection[str], given: Collection[str] = ()
) -> frozenset[str]:
    """Do the same before the cluster is asked, as far as the program tells: `given` are those of
    `files` without offsets. Return the files whose offsets `write_once` needs.
    """
    # Of the topics that a pattern may match, only files can lack offsets.
    draft = draft_of(topology, application_id).resolved(files)
    known = set(draft.task_inputs) - set(draft.outputs) - set(given)
    return topics_of_marks(draft.plans, known) & set(files)


def _keep_old_windows(admitted: Admitted, inputs: Inputs, now_ms: int) -> None:
    topics = inputs_of_windows(admitted.blueprint)
    times = inputs.latest_times(admitted, sorted(set().union(*topics.values())))
    ages = {
        id_: now_ms - min((times[topic] for topic in read if topic in times), default=now_ms)
        for id_, read in topics.items()
    }
    keep_windows(admitted.admin, admitted.blueprint, ages)


def topics_with_history(blueprint: Blueprint) -> set[str]:
    """Return the topics whose history is needed: those that are read and not written."""
    read = {topic for task in blueprint.tasks for topic, _ in task.inputs}
    plans = {task.subtopology.id: task.subtopology for task in blueprint.tasks}.values()
    written = {topic for plan in plans for topic in plan.sink_topics()}
    global_stores = blueprint.global_stores
    of_global_stores = set() if global_stores is None else set(global_stores.source_topics())
    return (read - written - blueprint.internal_topics) | of_global_stores


def plan_backfill(topology: Topology, admitted: Admitted, topics: Iterable[str]) -> JobPlan:
    """Plan the job with the partitions of the cluster: its tasks are those of the application."""
    blueprint = admitted.blueprint
    counts = {**admitted.output_counts(), **blueprint.partition_counts}
    given = {topic: counts[topic] for topic in topics}
    others = {
        topic: count
        for topic, count in counts.items()
        if topic not in given and topic not in blueprint.internal_topics
    }
    # The cache is that of the live application, so that the outputs are equal.
    live = {"statestore.cache.max.bytes": blueprint.config.cache_bytes_max}
    settings = settings_of({**blueprint.config.given(), **live})
    plan = plan_job(topology, settings, given, others)
    tasks = {task.id: set(task.inputs) for stage in plan.stages for task in stage.tasks}
    if tasks != {task.id: set(task.inputs) for task in blueprint.tasks}:
        msg = "the tasks of the job must be those of the live application; this is a fault of ours"
        raise StreamsError(msg)
    return plan


def pack_delivery(
    blueprint: Blueprint, run_id: str, plan: JobPlan, control: ControlAddress
) -> DeliveryPack:
    """Return what the workers need to write to Kafka."""
    stores = [store for task in blueprint.tasks for store in task.subtopology.stores.values()]
    compacted = compacted_changelogs((one.builder.kind, one.changelog) for one in stores)
    read = {topic for stage in plan.stages for topic in stage.topics()}
    return DeliveryPack(
        DeliverySite(blueprint.config, run_id, compacted),
        {task.id: index for index, task in enumerate(blueprint.tasks)},
        hidden=plan.hidden_topics,
        passed_on=frozenset(read | plan.inputs),
        control=control,
    )


def direct_pack(
    job: JobPlan, plan: BackfillPlan, delivery: DeliveryPack, feeds: TopicFeeds
) -> DirectPack:
    """Return what the workers need to run tasks that need nothing but Kafka."""
    most_bytes = plan.bytes_per_commit
    feeds = replace(feeds, batch_bytes=most_bytes)
    return DirectPack(job, plan.began_ms, plan.records_per_commit, delivery, feeds, most_bytes)


class _Run:
    """Runs the job and reports its progress."""

    def __init__(
        self,
        session: SparkSession,
        blueprint: Blueprint,
        plan: BackfillPlan,
        records: int,
        on_advance: OnAdvance,
    ) -> None:
        self._session, self._blueprint, self._plan = session, blueprint, plan
        self._records, self._on_advance = records, on_advance
        self._tasks: dict[str, TaskProgress] = {}
        self._failure: WorkerFailure | None = None
        self._stage = self._stages = 1

    def run_stages(self, plan: JobPlan, inputs: Inputs) -> None:
        """Run all stages."""
        host = self._session.sparkContext.getConf().get("spark.driver.host", "127.0.0.1")
        verbs = {
            "progress": Verb(TaskProgress, self._on_task_progress),
            "failure": Verb(WorkerFailure, self._on_failure),
        }
        control = ControlServer(str(host), verbs)
        try:
            pack = pack_delivery(self._blueprint, self._plan.run_id, plan, control.address)
            self._compute(plan, inputs, pack)
        except (PySparkException, DirectJobError) as error:
            if self._failure is not None:
                raise self._failure.error() from None
            msg = f"the backfill failed: {str(error).partition('JVM stacktrace')[0].strip()}"
            raise StreamsError(msg) from None
        finally:
            control.close()

    def _compute(self, plan: JobPlan, inputs: Inputs, pack: DeliveryPack) -> None:
        feeds, now_ms = inputs.topic_feeds, self._plan.began_ms
        if is_direct(plan, feeds):
            run_direct_job(self._session, direct_pack(plan, self._plan, pack, feeds))
            return
        options = JobOptions(now_ms, delivery=pack, topic_feeds=feeds)
        job = Job(plan, inputs.frames(self._blueprint.config, self._session), options)
        compute(job, self._on_stage_progress)
        job.unpersist()

    def _on_stage_progress(self, progress: Progress) -> None:
        self._stage, self._stages = progress.stage, progress.stages
        self._advance()

    def _on_task_progress(self, progress: TaskProgress) -> None:
        self._tasks[progress.task_id] = progress
        self._advance()

    def _on_failure(self, failure: WorkerFailure) -> None:
        # The first is the cause; a later one may be a worker that its replacement has fenced.
        self._failure = self._failure or failure

    def _advance(self) -> None:
        processed = sum(task.processed for task in self._tasks.values())
        known = self._records + sum(task.passed_on for task in self._tasks.values())
        self._on_advance(BackfillProgress(self._stage, self._stages, processed, known))
