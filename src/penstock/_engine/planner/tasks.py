"""Plans the tasks of sub-topologies: one for each partition that any of the inputs has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.topology.nodes.stream_nodes import Node, SourceNode

Partition: TypeAlias = tuple[str, int]
"""(topic, number). Java: TopicPartition, the name that the Kafka client gives to a class of its
own.
"""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task: `<sub-topology>_<partition>`, what it runs and the partitions it reads."""

    id: str
    partition: int
    subtopology: SubtopologyPlan
    inputs: tuple[Partition, ...]


def plan_tasks(
    plans: Iterable[SubtopologyPlan], partition_counts: Mapping[str, int]
) -> list[TaskPlan]:
    """Return the tasks by partition, then sub-topology: a group that assigns contiguous ranges of
    them so assigns each worker some of every sub-topology.
    """
    tasks = []
    for plan in plans:
        topics = plan.source_topics()
        for partition in range(max((partition_counts[topic] for topic in topics), default=0)):
            inputs = tuple(
                (topic, partition) for topic in topics if partition < partition_counts[topic]
            )
            tasks.append(TaskPlan(f"{plan.id}_{partition}", partition, plan, inputs))
    return sorted(tasks, key=lambda task: (task.partition, task.subtopology.id))


def resolve_patterns(plan: SubtopologyPlan, topics: Iterable[str]) -> SubtopologyPlan:
    """Return the plan with the topics of each pattern: those of `topics` that match it. What is
    resolved stays as it is (`reading_inputs` in spark/between/live_inputs.py).
    """
    existing = sorted(topics)

    def resolved(node: Node) -> Node:
        if not isinstance(node, SourceNode) or node.pattern is None or node.is_resolved:
            return node
        matching = tuple(topic for topic in existing if node.pattern.fullmatch(topic))
        return replace(node, topics=matching, is_resolved=True)

    return replace(plan, nodes=tuple(map(resolved, plan.nodes)))
