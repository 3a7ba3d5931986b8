"""From a topology and DataFrames to a job: settings, checks, plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from penstock._engine.planner.stages import plan_job
from penstock._engine.spark.batch.inputs import Partitions, check_inputs, count_partitions
from penstock._engine.spark.batch.job import Job, JobOptions
from penstock._engine.topology.checks import shown
from penstock._engine.topology.topology import Topology
from penstock.clock import SystemClock
from penstock.errors import TopologyError
from penstock.settings import StreamsConfig
from penstock.settings.table import JOIN_EMIT_INTERVAL, WINDOW_EMIT_INTERVAL

APPLICATION_ID = "dataframes"


def settings_of(config: Mapping[str, Any] | StreamsConfig | None) -> StreamsConfig:
    """Give the settings of a bounded run: every update is told, unless a cache is asked for, and
    nothing waits for a clock.
    """
    given = config.given() if isinstance(config, StreamsConfig) else dict(config or {})
    # Through the settings' own check, so that both spellings of a key are one.
    spelled = StreamsConfig({"application.id": APPLICATION_ID, **given}).given()
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
    inputs: Mapping[str, DataFrame],
    config: Mapping[str, Any] | StreamsConfig | None = None,
    partitions: int | Mapping[str, int] | None = None,
    options: JobOptions | None = None,
) -> Job:
    """Check everything that can be checked before the job, and draw it.

    Raises:
        StreamsError: the inputs do not fit the topology; the message says what to do.
    """
    if not isinstance(topology, Topology):
        msg = f"run takes a Topology; got {shown(topology)}; did you forget builder.build()?"
        raise TopologyError(msg)
    settings = settings_of(config)
    settings.check_optimizations(topology.optimizations)
    frames = check_inputs(inputs)
    wanted = Partitions.of(partitions)
    # Which topics are there is checked before any of them is read.
    plan_topics = {topic: wanted.wanted(topic) for topic in frames}
    del plan_topics
    counts = {topic: count_partitions(topic, frame, wanted) for topic, frame in frames.items()}
    others = {topic: count for topic, count in wanted.by_topic.items() if topic not in counts}
    plan = plan_job(topology, settings, counts, others, wanted.of_all)
    return Job(plan, frames, options or JobOptions(SystemClock().now_ms()))


def with_changelogs(options: JobOptions) -> JobOptions:
    """Give the options of a job whose changelogs are wanted."""
    return replace(options, keeps_changelogs=True)
