"""A task of a worker, from being opened to its start: where it reads on, and what it restores."""

from __future__ import annotations

from typing import Protocol

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.global_tables import GlobalTables
from penstock._engine.kafka.inputs import InputReader, starting_offset
from penstock._engine.kafka.restore import RestoreJob
from penstock._engine.kafka.topics import end_offsets
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.runtime.task import Task


class TaskHome(Protocol):
    """Where tasks are opened, and what keeps them apart from other workers on this machine."""

    @property
    def global_tables(self) -> GlobalTables | None: ...
    def open(self, plan: TaskPlan) -> Task: ...
    def release(self, plan: TaskPlan) -> None: ...
    def wipe(self, plan: TaskPlan) -> None: ...


class Running:
    """A task of a worker: being restored, or running."""

    __slots__ = ("offsets", "plan", "restoring", "started", "task")

    def __init__(self, plan: TaskPlan, home: TaskHome) -> None:
        self.plan = plan
        self.task = home.open(plan)
        self.offsets: dict[tuple[str, int], int] = {}
        """Where to begin to read, once restored."""
        self.restoring: list[RestoreJob] = []
        self.started = False

    def find_offsets(self, inputs: InputReader, blueprint: Blueprint) -> None:
        """Learn from the group where to read on, and from each source where to begin."""
        plan = self.plan
        policies = {
            topic: source.offset_reset
            for source in plan.subtopology.sources()
            for topic in source.topics
        }
        for partition, committed in inputs.committed(plan.inputs).items():
            topic, _ = partition
            if committed is None:
                internal = topic in blueprint.internal_topics
                asked = policies.get(topic) or blueprint.config.auto_offset_reset
                policy = "earliest" if internal else asked
                self.offsets[partition] = starting_offset(policy, topic)
            else:
                offset, metadata = committed
                self.offsets[partition] = offset
                self.task.resume(partition, offset, metadata)

    def find_what_to_restore(self, admin: AdminClient) -> None:
        """Learn up to where each store must be restored; the inputs' offsets are known by now."""
        wanted = self.task.restorable()
        changelogs = [partition for partition in wanted if partition not in self.offsets]
        ends = end_offsets(admin, changelogs, "read_uncommitted") if changelogs else {}
        for partition in wanted.keys() & self.offsets.keys():
            # An input that is its table's changelog: what is not committed is yet to be processed.
            at = wanted[partition].changelog_offset() or 0
            ends[partition] = max(self.offsets[partition], at)
        self.restoring = [
            RestoreJob(
                partition,
                store.changelog_offset(),
                ends[partition],
                store.restore,
                store.name,
                goes_on=partition in self.offsets,
            )
            for partition, store in wanted.items()
        ]
