"""What a worker is given: an application, planned. Plain data that can be shipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
