"""A planned application as a worker receives it: plain data that can be pickled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from penstock._engine.planner.identity import NO_IDENTITY, Identity
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.tasks import TaskPlan
from penstock.settings import StreamsConfig


@dataclass(frozen=True, slots=True)
class Blueprint:
    """An application: its settings, its tasks, and how many partitions each topic has.

    The index of a task in `tasks` is its partition in the task topic: the member that Kafka's
    group protocol assigns that partition runs the task.
    """

    config: StreamsConfig
    tasks: tuple[TaskPlan, ...]
    partition_counts: Mapping[str, int]
    task_topic: str
    internal_topics: frozenset[str]
    global_stores: SubtopologyPlan | None = None
    """The stores of which every worker has a full copy, and the nodes that feed them."""
    ends: Mapping[tuple[str, int], int] | None = None
    """Of a bounded run: the end offsets of each partition that it does not write itself."""
    identity: Identity = NO_IDENTITY
    """What members of the group must have in common to work together."""
    output_topics: frozenset[str] = frozenset()
    """The user's topics that the program writes by name; they existed at the start."""
    copartitioned: tuple[frozenset[str], ...] = ()
    """Groups of topics whose records of one key must have the same partition number, for joins."""
    topic_ids: Mapping[str, str] = field(default_factory=dict)
    """The ids of the topics that the tasks read, if the application keeps state."""

    @property
    def keeps_state(self) -> bool:
        """Whether a store of the tasks outlives its process."""
        return keeps_state(self.tasks)

    def changelogs(self) -> frozenset[str]:
        """Return the topics from which lost state is restored."""
        return frozenset(
            store.changelog
            for task in self.tasks
            for store in task.subtopology.stores.values()
            if store.changelog is not None
        )


def keeps_state(tasks: Iterable[TaskPlan]) -> bool:
    """Return whether a store of `tasks` outlives its process: it has a changelog, or is on disk."""
    return any(
        store.restored_from is not None or store.builder.engine != "in_memory"
        for task in tasks
        for store in task.subtopology.stores.values()
    )
