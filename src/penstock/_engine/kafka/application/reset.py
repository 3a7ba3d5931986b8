"""Resetting an application: look at what is there, and later do what was decided from it.

The order of doing: local state, then offsets, then topics. Each step can be repeated, so a reset
that was interrupted is finished by another one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from penstock import _clock as clock
from penstock._engine.kafka.application.internal_topics import delete_internal_topics
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.groups import commit_offsets, committed_offsets, members_of
from penstock._engine.kafka.client.topics import (
    end_offsets,
    existing_topics,
    first_offsets,
    offsets_at,
    partition_counts,
)
from penstock._engine.planner.reset import (
    Facts,
    Member,
    OffsetChange,
    ResetPlan,
    ResetRequest,
    check_not_running,
    inputs_of,
)
from penstock._engine.planner.tasks import Partition
from penstock._engine.state.files.directory import StateDirectory, TaskDirectory
from penstock.settings import StreamsConfig

_LOOK_AGAIN_SECONDS = 1.0


def examine(wish: ResetRequest, config: StreamsConfig, wait_seconds: float = 0.0) -> Facts:
    """Look at the group, the topics and the local state; wait so long for members to leave."""
    admin = open_admin(config)
    members = members_left(admin, wish.application_id, wait_seconds)
    topics = frozenset(existing_topics(admin))
    committed = committed_offsets(config)
    concerned = {*inputs_of(wish, committed), *wish.intermediate} & topics
    counts = partition_counts(admin, concerned)
    places = [(topic, number) for topic in counts for number in range(counts[topic])]
    time_ms = wish.target.time_ms
    local = StateDirectory(config.state_dir, config.application_id)
    return Facts(
        topics,
        members,
        committed,
        first_offsets(admin, places),
        end_offsets(admin, places),
        {} if time_ms is None else _offsets_from(admin, places, time_ms),
        tuple(local.task_ids()),
        str(local.path),
    )


def perform(
    plan: ResetPlan,
    config: StreamsConfig,
    forget: Callable[[TaskDirectory], None],
    say: Callable[[str], None],
) -> None:
    """Carry out the decision. Calls `forget` for each task whose local state is deleted.

    Raises:
        StreamsError: the application runs, or the cluster refuses a step.
    """
    admin = open_admin(config)
    # It may have been started since.
    check_not_running(plan.application_id, members_of(admin, plan.application_id))
    if plan.delete_local:
        StateDirectory(config.state_dir, config.application_id).clean_up(forget)
        say(f"deleted the local state in {plan.local_path}")
    if plan.offsets:
        _commit(admin, plan.application_id, plan.offsets)
        say("committed the new offsets")
    if plan.delete_topics:
        delete_internal_topics(admin, plan.delete_topics)
        say(f"deleted the internal topics {', '.join(plan.delete_topics)}")


def members_left(admin: AdminClient, group: str, wait_seconds: float) -> tuple[Member, ...]:
    """Return the members of a group; wait so long for them to leave."""
    until = clock.monotonic() + wait_seconds
    while (members := members_of(admin, group)) and clock.monotonic() < until:
        time.sleep(_LOOK_AGAIN_SECONDS)
    return members


def _offsets_from(
    admin: AdminClient, places: Iterable[Partition], time_ms: int
) -> dict[Partition, int]:
    """Return the offset of the first record of that time or later, of partitions that have one."""
    found = offsets_at(admin, places, OffsetSpec.for_timestamp(time_ms))
    return {place: offset for place, offset in found.items() if offset >= 0}


def _commit(admin: AdminClient, group: str, changes: Iterable[OffsetChange]) -> None:
    places = [TopicPartition(change.topic, change.partition, change.after) for change in changes]
    commit_offsets(admin, group, places)
