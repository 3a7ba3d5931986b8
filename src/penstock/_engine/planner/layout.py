"""Plans a program's tasks, stores and topics in two steps, without I/O.

The draft names the topics whose partitions must be counted; the caller asks the cluster for them,
and `lay_out` makes the layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from penstock._engine.planner.internal_topics import (
    InternalTopicPlan,
    NamedTopics,
    is_internal,
    is_sink_journal,
    plan_internal_topics,
)
from penstock._engine.planner.partitions import TopicFlow, decide_partition_counts
from penstock._engine.planner.plan import SubtopologyPlan, plan_global_stores, plan_subtopologies
from penstock._engine.planner.tasks import TaskPlan, plan_tasks, resolve_patterns
from penstock._engine.topology.nodes.stream_nodes import SourceNode
from penstock._engine.topology.topology import Topology
from penstock.settings import StreamsConfig


@dataclass(frozen=True, slots=True)
class Draft:
    """A program with its sub-topologies, before the partitions of its topics are known."""

    topology: Topology
    application_id: str
    plans: tuple[SubtopologyPlan, ...]
    global_stores: SubtopologyPlan | None
    repartition_topics: Mapping[str, int | None]
    """With the partition count that the user gave, None if none."""

    @property
    def has_patterns(self) -> bool:
        """Whether a source reads topics by a pattern that is not resolved."""
        return any(one.pattern is not None and not one.is_resolved for one in self.sources)

    @property
    def sources(self) -> list[SourceNode]:
        """The sources of all tasks, and of the global stores."""
        of_global_stores = [] if self.global_stores is None else self.global_stores.sources()
        return [*of_global_stores, *(source for plan in self.plans for source in plan.sources())]

    @property
    def topics_to_count(self) -> list[str]:
        """The user's topics that are read."""
        read = {topic for source in self.sources for topic in source.topics}
        return sorted(read - set(self.repartition_topics))

    @property
    def task_inputs(self) -> list[str]:
        """The user's topics that tasks read, and commit offsets of: not those of global stores."""
        read = {topic for plan in self.plans for topic in plan.source_topics()}
        return sorted(read - set(self.repartition_topics))

    @property
    def outputs(self) -> list[str]:
        """The user's topics that are written by name."""
        written = {topic for plan in self.plans for topic in plan.sink_topics()}
        return sorted(written - set(self.repartition_topics))

    def named_topics(self, config: StreamsConfig) -> NamedTopics:
        """Return all topics that the program and its settings name."""
        dead_letters = config.as_mapping()["errors.dead.letter.queue.topic.name"]
        users = {*self.topics_to_count, *self.outputs, *([dead_letters] if dead_letters else [])}
        changelogs = {
            store.changelog
            for plan in self.plans
            for store in plan.stores.values()
            if store.changelog is not None
        }
        return NamedTopics(frozenset(users), frozenset({*self.repartition_topics, *changelogs}))

    @property
    def copartitioned(self) -> tuple[frozenset[str], ...]:
        """Groups of topics that are joined by key."""
        topics_of = {source.name: source.topics for source in self.sources}
        return tuple(
            frozenset(topic for name in group for topic in topics_of.get(name, ()))
            for group in self.topology.copartition_groups
        )

    def resolved(self, topics: Iterable[str]) -> Draft:
        """Return the draft with each pattern replaced by those of `topics` that match it."""
        theirs = [
            topic
            for topic in topics
            if not is_internal(topic, self.application_id) and not is_sink_journal(topic)
        ]
        return replace(self, plans=tuple(resolve_patterns(plan, theirs) for plan in self.plans))


@dataclass(frozen=True, slots=True)
class Layout:
    """A planned application: tasks, partitions of every topic, internal topics."""

    draft: Draft
    tasks: tuple[TaskPlan, ...]
    partition_counts: Mapping[str, int]
    internal_topics: Mapping[str, InternalTopicPlan]


def draft_of(topology: Topology, application_id: str) -> Draft:
    """Return the draft of a program; patterns stay unresolved."""
    return Draft(
        topology,
        application_id,
        tuple(plan_subtopologies(topology, application_id)),
        plan_global_stores(topology),
        {
            f"{application_id}-{topic.name}": topic.partitions
            for topic in topology.internal_topics.values()
        },
    )


def lay_out(draft: Draft, counted: Mapping[str, int], config: StreamsConfig) -> Layout:
    """Return the layout; `counted` has the partition counts of all `draft.topics_to_count`.

    Raises:
        StreamsError: inputs are not co-partitioned, or a count cannot be decided.
    """
    groups = draft.copartitioned
    flows = [
        TopicFlow(tuple(plan.source_topics()), tuple(plan.sink_topics())) for plan in draft.plans
    ]
    counts = decide_partition_counts(counted, draft.repartition_topics, flows, groups)
    internal = plan_internal_topics(
        draft.plans,
        counts,
        draft.repartition_topics,
        draft.application_id,
        additional_retention_ms=config.window_changelog_additional_retention_ms,
    )
    return Layout(draft, tuple(plan_tasks(draft.plans, counts)), counts, internal)
