"""Before the first record: look at the cluster, decide the partitions, make the internal topics.

Everything that can be found wrong is found here: missing topics, inputs that are not
co-partitioned, internal topics that do not fit the program, a program that would not find its state
again.
"""

from __future__ import annotations

from dataclasses import replace

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.admin_calls import open_admin
from penstock._engine.kafka.backfill.journal import refuse_unfinished_backfill
from penstock._engine.kafka.clients import check_clients
from penstock._engine.kafka.last_program import check_last_program, remember_program
from penstock._engine.kafka.topics import (
    Isolation,
    end_offsets,
    ensure_internal_topics,
    existing_topics,
    partition_counts,
    warn_of_forgetful_sources,
)
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.internal_topics import (
    is_internal,
    plan_internal_topics,
    task_topic_name,
)
from penstock._engine.planner.partitions import TopicFlow, decide_partition_counts
from penstock._engine.planner.plan import (
    SubtopologyPlan,
    plan_global_stores,
    plan_subtopologies,
)
from penstock._engine.planner.tasks import plan_tasks, resolve_patterns
from penstock._engine.topology.nodes import SourceNode
from penstock._engine.topology.topology import Topology
from penstock.settings import StreamsConfig


def prepare(topology: Topology, config: StreamsConfig) -> Blueprint:
    """Check the cluster against the topology, make what is missing, and plan the tasks."""
    check_clients(config)
    config.check_optimizations(topology.optimizations)
    admin = open_admin(config)
    refuse_unfinished_backfill(config, admin)
    return lay_out(topology, config, admin)


def lay_out(topology: Topology, config: StreamsConfig, admin: AdminClient) -> Blueprint:
    """Make what is missing on a cluster that has been looked at, and plan the tasks."""
    plans = _plans(topology, config, admin)
    internal = {
        f"{config.application_id}-{topic.name}": topic.partitions
        for topic in topology.internal_topics.values()
    }
    global_stores = plan_global_stores(topology)
    of_all = [] if global_stores is None else global_stores.sources()
    counts = _partition_counts(topology, plans, internal, of_all, admin)
    wanted = plan_internal_topics(
        plans,
        counts,
        internal,
        config.application_id,
        additional_retention_ms=config.window_changelog_additional_retention_ms,
    )
    warn_of_forgetful_sources(admin, topology.source_changelogs)
    new_program = check_last_program(topology, config, admin)
    ensure_internal_topics(admin, wanted, config)
    if new_program is not None:
        remember_program(new_program, config)
    return Blueprint(
        config=config,
        tasks=tuple(plan_tasks(plans, counts)),
        partition_counts=counts,
        task_topic=task_topic_name(config.application_id),
        internal_topics=frozenset(wanted),
        global_stores=global_stores,
    )


def bounded(blueprint: Blueprint) -> Blueprint:
    """Give the application as one that stops where the user's topics end now."""
    config = blueprint.config
    inputs = {
        partition
        for task in blueprint.tasks
        for partition in task.inputs
        if partition[0] not in blueprint.internal_topics
    }
    isolation: Isolation = "read_committed" if config.exactly_once else "read_uncommitted"
    ends = end_offsets(open_admin(config), sorted(inputs), isolation)
    return replace(blueprint, ends=ends)


def _plans(topology: Topology, config: StreamsConfig, admin: AdminClient) -> list[SubtopologyPlan]:
    plans = plan_subtopologies(topology, config.application_id)
    if any(source.pattern is not None for plan in plans for source in plan.sources()):
        topics = [
            topic
            for topic in existing_topics(admin)
            if not is_internal(topic, config.application_id)
        ]
        plans = [resolve_patterns(plan, topics) for plan in plans]
    return plans


def _partition_counts(
    topology: Topology,
    plans: list[SubtopologyPlan],
    internal: dict[str, int | None],
    of_all: list[SourceNode],
    admin: AdminClient,
) -> dict[str, int]:
    sources = [*of_all, *(source for plan in plans for source in plan.sources())]
    read = {topic for source in sources for topic in source.topics if topic not in internal}
    known = partition_counts(admin, sorted(read), sources)
    topics_of = {source.name: source.topics for source in sources}
    flows = [TopicFlow(tuple(plan.source_topics()), tuple(plan.sink_topics())) for plan in plans]
    groups = [
        frozenset(topic for name in group for topic in topics_of.get(name, ()))
        for group in topology.copartition_groups
    ]
    return decide_partition_counts(known, internal, flows, groups)
