"""The tasks of a worker: those that the group has assigned to it, and those it has opened.

An assigned task is opened later than it is assigned, and a lost one is closed later than the group
takes it away: the two sets differ in between. Tasks are named by their index in the blueprint.
"""

from __future__ import annotations

from collections.abc import Iterable

from penstock._engine.kafka.tasks.assigned_task import AssignedTask
from penstock._engine.planner.blueprint import Blueprint
from penstock.errors import StreamsError


class TaskSet:
    """Assigned and opened tasks of one worker."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self.assigned: set[int] = set()
        """The indices of the tasks that the group has assigned."""
        self.opened: dict[int, AssignedTask] = {}
        """The opened tasks by index, in the order in which they process records next."""
        self._records_in_of_closed = 0

    def assign(self, indices: Iterable[int]) -> None:
        """Add assigned tasks; partitions of the task topic without a task are left out."""
        self.assigned.update(index for index in indices if index < len(self._blueprint.tasks))

    def to_open(self) -> list[int]:
        """Return the assigned tasks that are not open."""
        return sorted(self.assigned - set(self.opened))

    def started(self) -> dict[int, AssignedTask]:
        """Return the restored tasks, which process records."""
        return {index: each for index, each in self.opened.items() if each.started}

    def kept(self, opened: Iterable[AssignedTask]) -> list[AssignedTask]:
        """Return those of `opened` that are still open."""
        return [each for each in opened if each in self.opened.values()]

    def uncommitted(self) -> bool:
        """Yes if any task has done work since the last commit."""
        return any(each.task.uncommitted for each in self.opened.values())

    def owner_of(self, topic: str, number: int) -> AssignedTask:
        """Return the task that reads a partition.

        Raises:
            StreamsError: none does.
        """
        for each in self.opened.values():
            if (topic, number) in each.offsets:
                return each
        msg = f"no task of this worker reads topic {topic!r}, partition {number}"
        raise StreamsError(msg)

    def check_owned(self, offsets: Iterable[tuple[str, int]]) -> None:
        """Refuse to commit offsets of partitions that belong to no task of this worker."""
        owned = {
            partition
            for index in self.assigned
            for partition in self._blueprint.tasks[index].inputs
        } | {partition for each in self.opened.values() for partition in each.plan.inputs}
        owned |= {(self._blueprint.task_topic, index) for index in self.opened}
        strangers = set(offsets) - owned
        assert not strangers, f"offsets of partitions that are not ours: {strangers}"

    def pop(self, index: int) -> AssignedTask:
        """Remove an opened task, which is then to be closed."""
        removed = self.opened.pop(index)
        self._records_in_of_closed += self._records_in_of(removed)
        return removed

    def records_in(self) -> int:
        """Return how many records of the user's topics were processed, closed tasks included."""
        return self._records_in_of_closed + sum(map(self._records_in_of, self.opened.values()))

    def _records_in_of(self, each: AssignedTask) -> int:
        internal = self._blueprint.internal_topics
        users = any(topic not in internal for topic, _ in each.plan.inputs)
        return each.task.counters.processed if users else 0
