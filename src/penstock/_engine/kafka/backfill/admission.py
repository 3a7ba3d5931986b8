"""Whether an application may be backfilled: refuses one that has offsets or state, unless they come
from an unfinished run of the same backfill.
"""

from __future__ import annotations

from dataclasses import dataclass

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.application.backfill_journal import BackfillPlan, read_plan
from penstock._engine.kafka.application.internal_topics import (
    delete_internal_topics,
    internal_topics,
)
from penstock._engine.kafka.application.preparation import make_ready
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.clients import check_clients
from penstock._engine.kafka.client.groups import committed_offsets, delete_group, members_of
from penstock._engine.kafka.client.topics import end_offsets, existing_topics, partition_counts
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.fingerprint import fingerprint_of
from penstock._engine.planner.internal_topics import NamedTopics, task_topic_name
from penstock._engine.planner.layout import draft_of
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.state.files.directory import StateDirectory
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig


@dataclass(frozen=True, slots=True)
class Past:
    """What an application has left behind."""

    members: int
    offsets: int
    """Partitions with a committed offset."""
    topics: tuple[str, ...]
    """Changelogs and repartition topics that have had records."""
    tasks: tuple[str, ...]
    """Tasks with local state on this machine."""

    def __str__(self) -> str:
        parts = []
        if self.offsets:
            parts.append(f"committed offsets for {self.offsets} partitions")
        if self.topics:
            parts.append(f"records in {', '.join(map(repr, self.topics))}")
        if self.tasks:
            parts.append(f"local state of tasks {', '.join(self.tasks)}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Admitted:
    """An application that may be backfilled, laid out on its cluster."""

    blueprint: Blueprint
    program_id: str
    begun: BackfillPlan | None
    """What an earlier run has begun and this one goes on with."""
    admin: AdminClient

    def output_counts(self) -> dict[str, int]:
        """Return how many partitions each topic has that the program may write to."""
        topics = existing_topics(self.admin)
        return partition_counts(self.admin, topics)


def admit(topology: Topology, config: StreamsConfig, *, reset: bool) -> Admitted:
    """Look at an application and make its internal topics, as a live start would; with `reset`, all
    it has left behind is deleted first.

    Raises:
        StreamsError: it runs, has a past, or is being backfilled with another program.
    """
    check_clients(config)
    config.check_optimizations(topology.optimizations)
    admin = open_admin(config)
    named = draft_of(topology, config.application_id).named_topics(config)
    past = past_of(config, admin, named)
    refuse_members(past, config.application_id)
    begun = read_plan(config, admin)
    program_id = fingerprint_of(topology).id
    if reset:
        begun = None
        reset_application(config, admin, named)
    elif begun is None:
        refuse_past(past, config.application_id)
    elif begun.program_id != program_id:
        msg = (
            f"a backfill of application {config.application_id!r} has begun with another program, "
            "whose state would not be found: run it again with that program, or say --reset"
        )
        raise StreamsError(msg)
    blueprint = make_ready(topology, config, admin)
    if begun is None:
        _refuse_used_circles(blueprint, topology, admin)
    else:
        begun.check_tasks([task.id for task in blueprint.tasks], blueprint.partition_counts)
    return Admitted(blueprint, program_id, begun, admin)


def _refuse_used_circles(blueprint: Blueprint, topology: Topology, admin: AdminClient) -> None:
    """Refuse topics of the user's that the program writes and reads again, if they have records: a
    job cannot tell which of them it has made itself.
    """
    plans = plan_subtopologies(topology, blueprint.config.application_id)
    written = {topic for plan in plans for topic in plan.sink_topics()}
    places = sorted(
        place
        for task in blueprint.tasks
        for place in task.inputs
        if place[0] in written - blueprint.internal_topics
    )
    used = {topic for (topic, _), end in end_offsets(admin, places).items() if end > 0}
    if used:
        msg = (
            f"topics {', '.join(map(repr, sorted(used)))} are written and read by the program and "
            "must be empty before a backfill, which makes all that is in them"
        )
        raise StreamsError(msg)


def past_of(config: StreamsConfig, admin: AdminClient, named: NamedTopics) -> Past:
    """Look at what an application has left behind."""
    tasks = task_topic_name(config.application_id)
    own = internal_topics(admin, config.application_id, named)
    internal = [topic for topic in own if topic != tasks]
    counts = partition_counts(admin, internal)
    places = [(topic, number) for topic, count in counts.items() for number in range(count)]
    used = {topic for (topic, _), end in end_offsets(admin, places).items() if end > 0}
    return Past(
        members=len(members_of(admin, config.application_id)),
        offsets=len(committed_offsets(config)),
        topics=tuple(sorted(used)),
        tasks=tuple(StateDirectory(config.state_dir, config.application_id).task_ids()),
    )


def refuse_members(past: Past, application_id: str) -> None:
    """Refuse to touch an application that runs.

    Raises:
        StreamsError: it does.
    """
    if past.members:
        msg = (
            f"application {application_id!r} cannot be backfilled while it runs: its group has "
            f"{past.members} members; stop it first"
        )
        raise StreamsError(msg)


def refuse_past(past: Past, application_id: str) -> None:
    """Refuse to write a past over another.

    Raises:
        StreamsError: the application has offsets or state.
    """
    if found := str(past):
        msg = (
            f"application {application_id!r} cannot be backfilled: it has run before and has "
            f"{found}; a backfill gives a new application its past: choose a new 'application.id', "
            "or say --reset, which deletes its offsets, its internal topics and its local state "
            "(records in the topics it has written to stay)"
        )
        raise StreamsError(msg)


def reset_application(config: StreamsConfig, admin: AdminClient, named: NamedTopics) -> None:
    """Delete the offsets, the internal topics and the local state of an application that does not
    run.
    """
    application_id = config.application_id
    delete_group(admin, application_id)
    delete_internal_topics(admin, internal_topics(admin, application_id, named))
    StateDirectory(config.state_dir, application_id).clean_up()
