"""Before the first record: look at the cluster, decide the partitions, make the internal topics.

Everything that can be found wrong is found here: missing topics, inputs that are not
co-partitioned, internal topics that do not fit the program, a program that would not find its state
again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.application.agreed_ends import agree_on_ends
from penstock._engine.kafka.application.backfill_journal import refuse_unfinished_backfill
from penstock._engine.kafka.application.internal_topics import (
    ensure_internal_topics,
    warn_of_forgetful_sources,
)
from penstock._engine.kafka.application.stored_program import check_last_program, remember_program
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.clients import check_clients, isolation_of
from penstock._engine.kafka.client.denials import check_permissions
from penstock._engine.kafka.client.stable_ends import stable_ends
from penstock._engine.kafka.client.topics import (
    PATIENCE_SECONDS,
    check_outputs,
    describe_topics,
    existing_topics,
    partition_counts,
)
from penstock._engine.kafka.worker.agreement import wait_for_agreement
from penstock._engine.planner.blueprint import Blueprint, keeps_state
from penstock._engine.planner.identity import identity_of
from penstock._engine.planner.internal_topics import task_topic_name
from penstock._engine.planner.layout import Draft, draft_of, lay_out
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.state.files.directory import StateDirectory
from penstock._engine.topology.nodes.stream_nodes import SinkNode, title_of
from penstock._engine.topology.topology import Topology
from penstock.errors import TopologyError
from penstock.settings import StreamsConfig


def prepare(
    topology: Topology, config: StreamsConfig, meanwhile: Callable[[], None] = lambda: None
) -> Blueprint:
    """Check the cluster against the topology, make what is missing, and plan the tasks. Nothing is
    made before the members of another program have left; `meanwhile` is called where that takes
    time.
    """
    check_clients(config)
    config.check_optimizations(topology.optimizations)
    _check_reads(draft_of(topology, config.application_id))
    admin = open_admin(config)
    refuse_unfinished_backfill(config, admin)
    return make_ready(topology, config, admin, meanwhile)


def _check_reads(draft: Draft) -> None:
    """Refuse a topology without sources, which would do nothing for ever. Java: KafkaStreams."""
    if not draft.sources:
        msg = (
            "the topology reads nothing: it must have a stream, a table or a global table; was it "
            "built before they were added? call builder.build() last"
        )
        raise TopologyError(msg)


def make_ready(
    topology: Topology,
    config: StreamsConfig,
    admin: AdminClient,
    meanwhile: Callable[[], None] = lambda: None,
) -> Blueprint:
    """Make what is missing on a cluster that has been looked at, and plan the tasks."""
    draft = draft_of(topology, config.application_id)
    if draft.has_patterns:
        draft = draft.resolved(existing_topics(admin))
    counted = partition_counts(admin, draft.topics_to_count, draft.sources)
    layout = lay_out(draft, counted, config)
    warn_of_forgetful_sources(admin, topology.source_changelogs)
    new_program = check_last_program(topology, config, admin)
    identity = identity_of(draft.plans, layout.tasks)
    state = StateDirectory(config.state_dir, config.application_id)
    state.check_owner()
    wait_for_agreement(config, admin, identity, state.dead_members, meanwhile)
    writers = _writers(draft, config)
    check_outputs(admin, writers)
    ensure_internal_topics(admin, layout.internal_topics, config)
    check_permissions(admin, layout, config)
    if new_program is not None:
        remember_program(new_program, config)
    return Blueprint(
        config=config,
        tasks=layout.tasks,
        partition_counts=layout.partition_counts,
        task_topic=task_topic_name(config.application_id),
        internal_topics=frozenset(layout.internal_topics),
        identity=identity,
        global_stores=draft.global_stores,
        output_topics=frozenset(writers),
        copartitioned=draft.copartitioned,
        topic_ids=_ids_of_inputs(admin, layout.tasks),
    )


def _ids_of_inputs(admin: AdminClient, tasks: Collection[TaskPlan]) -> dict[str, str]:
    """Return the ids of the topics that the tasks read, for the marks of committed offsets."""
    if not keeps_state(tasks):
        return {}
    inputs = sorted({topic for task in tasks for topic, _ in task.inputs})
    found = describe_topics(admin, inputs, PATIENCE_SECONDS)
    return {topic: str(one.topic_id) for topic, one in found.items()}


def _writers(draft: Draft, config: StreamsConfig) -> dict[str, str]:
    """Return the user's topics that are written to by name, and what writes to each."""
    writers: dict[str, str] = {}
    dead_letters = config.as_mapping()["errors.dead.letter.queue.topic.name"]
    if dead_letters is not None:
        writers[dead_letters] = "'errors.dead.letter.queue.topic.name'"
    outputs = set(draft.outputs)
    for plan in draft.plans:
        for node in plan.nodes:
            if isinstance(node, SinkNode) and node.topic in outputs:
                writers.setdefault(str(node.topic), title_of(node))
    return writers


def bounded(blueprint: Blueprint) -> Blueprint:
    """Return the blueprint of a bounded run, which stops where the user's topics end now. Topics
    that the application writes itself have no end: their records come from those of the others.
    """
    config = blueprint.config
    own = blueprint.internal_topics.union(
        *(task.subtopology.sink_topics() for task in blueprint.tasks)
    )
    inputs = {
        partition
        for task in blueprint.tasks
        for partition in task.inputs
        if partition[0] not in own
    }
    isolation = isolation_of(config, "input")
    admin = open_admin(config)
    ends = agree_on_ends(
        config,
        admin,
        blueprint.task_topic,
        lambda: stable_ends(admin, sorted(inputs), isolation),
    )
    return replace(blueprint, ends=ends)
