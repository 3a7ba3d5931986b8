"""The Kafka clients of a worker, made outside of it: tests replace them with fakes.

`open_clients` makes the real ones. Call it on the thread that runs the worker, after any fork: a
Kafka client does not survive one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.admin_calls import renewed_admin
from penstock._engine.kafka.client.clients import (
    consumer_settings,
    producer_settings,
)
from penstock._engine.kafka.tasks.assigned_task import WorkerHost
from penstock._engine.kafka.tasks.inputs import InputReader, Inputs
from penstock._engine.kafka.tasks.restore import ChangelogReader, Restorer
from penstock._engine.kafka.worker.membership import Membership, TaskOwner
from penstock._engine.kafka.worker.offset_marks import ReadMarks, read_offset_marks
from penstock._engine.kafka.worker.transactions import Committer, Member, open_committer
from penstock._engine.planner.blueprint import Blueprint


class GroupMembership(Member, Protocol):
    """A worker's place in the group. Implemented by `Membership`."""

    metadata: Any
    """Group metadata of the generation whose assignment is in force, None before the first."""

    def poll(self, timeout_seconds: float = 0.0) -> None:
        """Take part in the group protocol; calls the `TaskOwner`."""

    def leave(self) -> None:
        """Leave the group at once."""

    def rejoin(self) -> None:
        """Drop all tasks, leave the group and join it again."""


@dataclass(frozen=True, slots=True)
class WorkerClients:
    """What a worker reaches Kafka with."""

    admin: AdminClient
    inputs: Inputs
    restorer: ChangelogReader
    join: Callable[[TaskOwner], GroupMembership]
    """Joins the group; the membership calls the worker when its tasks change."""
    make_committer: Callable[[GroupMembership], Committer]
    """Makes a new producer; called again when the one before is of no more use."""
    read_marks: ReadMarks
    """Reads the marks of committed offsets."""


def open_clients(blueprint: Blueprint, host: WorkerHost) -> WorkerClients:
    """Make the clients of a worker, without joining the group yet."""
    config = blueprint.config
    group = consumer_settings(config, "group")
    group["group.instance.id"] = host.member_id
    group["client.id"] = blueprint.identity.shown_in(group["client.id"])

    def make_committer(membership: GroupMembership) -> Committer:
        settings = host.refusals.fit(producer_settings(config, host.member_id))
        return open_committer(settings, membership)

    admin = renewed_admin(config)
    return WorkerClients(
        admin,
        InputReader(consumer_settings(config, "input"), blueprint.ends),
        Restorer(consumer_settings(config, "restore")),
        lambda owner: Membership(group, blueprint.task_topic, owner),
        make_committer,
        lambda tasks: read_offset_marks(config, admin, tasks),
    )
