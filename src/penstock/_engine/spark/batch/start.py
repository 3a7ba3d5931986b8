"""Makes a job from a topology and DataFrames: settings, checks, plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from penstock._clock import SystemClock
from penstock._engine.operators.stateless import empty_files
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.planner.stages import JobPlan, check_topics, plan_job, topics_of_marks
from penstock._engine.spark.batch.arrow_map import is_connect
from penstock._engine.spark.batch.inputs import (
    Partitions,
    check_given,
    count_partitions,
    frame_of,
    has_offsets,
    in_bytes,
    refuse_unknown_columns,
    with_all_offsets,
)
from penstock._engine.spark.batch.job import Job, JobOptions
from penstock._engine.spark.batch.plan_serdes import serdes_among
from penstock._engine.spark.batch.tasks.bounded_task import refuse_unfit
from penstock._engine.spark.batch.typed import Typed
from penstock._engine.spark.session import check_local_interpreter
from penstock._engine.topology.checks import refuse_initial, shown
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError, TopologyError
from penstock.settings import StreamsConfig
from penstock.settings.config import given_settings
from penstock.settings.keys import over_defaults
from penstock.settings.table import JOIN_EMIT_INTERVAL, WINDOW_EMIT_INTERVAL

APPLICATION_ID = "dataframes"


def settings_of(config: Mapping[str, Any] | StreamsConfig | None) -> StreamsConfig:
    """Return the settings of a bounded run: it forwards every update, unless the user sets a cache,
    and waits for no clock.
    """
    # Both spellings of a key become one.
    own = {"application.id": APPLICATION_ID}
    spelled = StreamsConfig(over_defaults(own, given_settings(config))).given()
    return StreamsConfig(
        {
            "statestore.cache.max.bytes": 0,
            **spelled,
            "max.task.idle.ms": 0,
            JOIN_EMIT_INTERVAL: 0,
            WINDOW_EMIT_INTERVAL: 0,
        }
    )


def start(
    topology: Topology,
    inputs: Mapping[str, DataFrame | Typed],
    config: Mapping[str, Any] | StreamsConfig | None = None,
    partitions: int | Mapping[str, int] | None = None,
    options: JobOptions | None = None,
) -> Job:
    """Check everything that can be checked before the job, and build it.

    Raises:
        StreamsError: the inputs do not fit the topology; the message says what to do.
    """
    check_topology(topology)
    refuse_initial(topology.initial_tables, "give the DataFrame as an input")
    settings = settings_of(config)
    settings.check_optimizations(topology.optimizations)
    topology = with_default_stores(topology, settings)
    given = check_given(inputs)
    refuse_unknown_columns(given)
    first = frame_of(next(iter(given.values())))
    if not is_connect(first):
        check_local_interpreter(first.sparkSession)
    wanted = Partitions.of(partitions)
    options = options or JobOptions(SystemClock().now_ms())
    plans = check_topics(topology, settings, given)
    # Before any job: counting the partitions may run one.
    frames = {
        topic: in_bytes(topic, one, serdes_among(plans, topic, settings))
        for topic, one in given.items()
    }
    counts = {topic: count_partitions(topic, frame_of(one), wanted) for topic, one in given.items()}
    others = {topic: count for topic, count in wanted.by_topic.items() if topic not in counts}
    plan = plan_job(topology, settings, counts, others, wanted.default)
    check_partitions(wanted, plan)
    marked = _marked(plan, given)
    refuse_unfit(plan, options.now_ms)
    frames.update({topic: with_all_offsets(topic, frames[topic]) for topic in marked})
    empty_files(topology.nodes.values())
    return Job(plan, frames, options)


def _marked(plan: JobPlan, given: Mapping[str, DataFrame | Typed]) -> frozenset[str]:
    """Return the inputs whose offsets `write_once` needs; refuse those that have none."""
    with_offsets = [topic for topic, one in given.items() if has_offsets(frame_of(one))]
    return topics_of_marks((one for stage in plan.stages for one in stage.plans), with_offsets)


def check_topology(topology: object) -> None:
    """Refuse what is no topology.

    Raises:
        TopologyError: it says what it is.
    """
    if not isinstance(topology, Topology):
        msg = f"run takes a Topology; got {shown(topology)}; did you forget builder.build()?"
        raise TopologyError(msg)


def check_partitions(wanted: Partitions, plan: JobPlan) -> None:
    """Refuse a number of partitions for a topic that the topology does not have.

    Where records name their topics, the topology may have any.
    """
    known = {*plan.inputs, *plan.sinks}
    strangers = sorted(set(wanted.by_topic) - known, key=str)
    if strangers and not plan.has_routed_sinks:
        msg = (
            f"partitions has {', '.join(map(repr, strangers))}, which the topology neither reads "
            f"nor writes; its topics are {', '.join(map(repr, sorted(known)))}; correct the name, "
            "or leave it out"
        )
        raise StreamsError(msg)
