"""What a worker is given: an application, planned. Plain data that can be shipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from penstock._engine.planner.identity import NOBODY, Identity
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.tasks import TaskPlan
from penstock.settings import StreamsConfig


@dataclass(frozen=True, slots=True)
class Blueprint:
    """An application: its settings, its tasks, and how many partitions each topic has.

    The index of a task in `tasks` is its partition in the task topic: whoever Kafka's group
    protocol gives that partition runs the task.
    """

    config: StreamsConfig
    tasks: tuple[TaskPlan, ...]
    partition_counts: Mapping[str, int]
    task_topic: str
    internal_topics: frozenset[str]
    global_stores: SubtopologyPlan | None = None
    """The stores that every worker holds whole, and what feeds them."""
    ends: Mapping[tuple[str, int], int] | None = None
    """Of a bounded run: where to stop reading each partition that it does not write itself."""
    identity: Identity = NOBODY
    """What members of the group must have in common to work together."""
    output_topics: frozenset[str] = frozenset()
    """The user's topics that the program names to write to; they were there at the start."""
    copartitioned: tuple[frozenset[str], ...] = ()
    """Topics whose records of one key must be in partitions of the same number: joins need it."""

    def changelogs(self) -> frozenset[str]:
        """Return the topics from which lost state is restored."""
        return frozenset(
            store.changelog
            for task in self.tasks
            for store in task.subtopology.stores.values()
            if store.changelog is not None
        )
