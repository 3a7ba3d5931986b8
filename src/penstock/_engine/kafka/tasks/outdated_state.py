"""Local state that is too old to be brought up to date from its changelog.

Compaction removes the deletion of a key `delete.retention.ms` after it has removed the key's
values. State that was last complete before that would keep the key: the restore does not meet the
deletion any more. Java restores such state all the same, unless `state.cleanup.delay.ms` has
deleted it before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.client_errors import TaskCorrupted
from penstock._engine.kafka.client.topics import settings_of_topics
from penstock._engine.kafka.tasks.restore import RestoreJob
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.state.files.state_times import StateTimes

_POLICY, _RETENTION = "cleanup.policy", "delete.retention.ms"
_RETENTION_MS = 86_400_000
"""Kafka's own, for topics whose settings may not be seen."""
# Restoring takes its time, and clocks differ.
_MARGIN_MS_MAX = 3_600_000
# The broker does not compact so quickly; standbys need not ask for settings in each sweep.
_YOUNG_MS = 30_000


class AgedState(NamedTuple):
    """Local state up to an offset of a changelog, or of the topic of a global table."""

    partition: Partition
    start: int | None
    """Where it is to be read on, None if there is no state."""
    end: int
    complete_ms: int | None
    """When the state was last complete, None if that is not known."""
    is_own: bool = True
    """Whether the topic is a changelog of ours, not one of the user's."""


def states_on_disk(
    jobs: Iterable[RestoreJob],
    stores: Mapping[Partition, TaskStore],
    plan: TaskPlan,
    times: StateTimes,
) -> list[AgedState]:
    """Return what is to be restored to stores on disk, by changelog, with the times of their state.
    Those in engines of the user's own cannot be deleted one by one.
    """
    return [
        AgedState(
            job.partition,
            job.start,
            job.end,
            times.of(job.store),
            is_own=job.partition not in plan.inputs,
        )
        for job in jobs
        if stores[job.partition].is_on_disk
    ]


def find_outdated(
    states: Iterable[AgedState], admin: AdminClient, now_ms: int, timeout_seconds: float
) -> list[TaskCorrupted]:
    """Return an error for each changelog whose local state must be restored from the beginning.

    Raises:
        BrokerAway: the cluster does not answer.
    """
    ages_ms = {
        state.partition: (abs(now_ms - state.complete_ms), state.is_own)
        for state in states
        # What has all that there is needs no deletions; what has nothing begins at the beginning.
        if state.start is not None
        and 0 < state.start < state.end
        # State of before this was noted is taken as it is.
        and state.complete_ms is not None
        # A time that is far ahead is of a clock that was wrong: the age is not known.
        and abs(now_ms - state.complete_ms) > _YOUNG_MS
    }
    if not ages_ms:
        return []
    topics = {topic for topic, _ in ages_ms}
    settings: Mapping[str, Mapping[str, str]] = {}
    with suppress(KafkaException):
        settings = settings_of_topics(admin, sorted(topics), timeout_seconds)
    outdated = []
    for (topic, number), (age_ms, is_own) in ages_ms.items():
        retention_ms = deletions_kept_ms(settings.get(topic, {}), is_own=is_own)
        if retention_ms is None:
            continue
        if age_ms > retention_ms - min(retention_ms // 10, _MARGIN_MS_MAX):
            msg = (
                f"the local state of topic {topic!r}, partition {number} was last complete "
                f"{age_ms // 1000} s ago, but the topic keeps deletions for "
                f"{retention_ms // 1000} s only ({_RETENTION!r}): keys that were deleted since "
                "could stay"
            )
            outdated.append(TaskCorrupted(msg, (topic, number)))
    return outdated


def deletions_kept_ms(settings: Mapping[str, str], *, is_own: bool) -> int | None:
    """Return for how long a topic with these settings keeps deletions, None if for ever: it is not
    compacted. A topic of the user's may have deleted rows that only local state still has: it must
    be known to hold the last value of each key.
    """
    policy = settings.get(_POLICY, "compact" if is_own else "")
    if not ("compact" in policy if is_own else policy.strip() == "compact"):
        return None
    return int(settings.get(_RETENTION, _RETENTION_MS))
