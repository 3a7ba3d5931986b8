"""Which topics an application needs for itself: names, partitions and settings are Java's.

Repartition topics keep everything until it has been read and purged; changelogs keep the last value
of each key. The task topic is Penstock's own: Kafka's group protocol hands out its partitions, and
each is a task. Semantics 7.3, Java: RepartitionTopicConfig,
UnwindowedUnversionedChangelogTopicConfig.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.tasks import plan_tasks

Kind: TypeAlias = Literal["repartition", "changelog", "tasks"]

_DEFAULTS: dict[Kind, dict[str, str]] = {
    "repartition": {
        "cleanup.policy": "delete",
        "message.timestamp.type": "CreateTime",
        "retention.ms": "-1",
        "segment.bytes": "52428800",
    },
    "changelog": {"cleanup.policy": "compact", "message.timestamp.type": "CreateTime"},
    "tasks": {"cleanup.policy": "compact", "message.timestamp.type": "CreateTime"},
}

_TASKS_ENDING = "-penstock-tasks"
_ENDINGS = ("-repartition", "-changelog", _TASKS_ENDING)


@dataclass(frozen=True, slots=True)
class InternalTopicPlan:
    """A topic as it should be. `settings` are those of this topic alone, given by the user."""

    name: str
    kind: Kind
    partitions: int
    settings: Mapping[str, str]

    def settings_with(self, of_all_topics: Mapping[str, str]) -> dict[str, str]:
        """Give all settings: those of its kind, before them the user's for all internal topics,
        before them the user's for this one.
        """
        return {**_DEFAULTS[self.kind], **of_all_topics, **self.settings}


def task_topic_name(application_id: str) -> str:
    """Give the name of the topic whose partitions are the tasks."""
    return f"{application_id}{_TASKS_ENDING}"


def is_internal(topic: str, application_id: str) -> bool:
    """Tell by its name whether a topic is an application's own, of whatever program it ran."""
    return topic.startswith(f"{application_id}-") and topic.endswith(_ENDINGS)


def plan_internal_topics(
    plans: Iterable[SubtopologyPlan],
    partition_counts: Mapping[str, int],
    repartition_topics: Iterable[str],
    application_id: str,
) -> dict[str, InternalTopicPlan]:
    """Give the internal topics by name, all names as on the broker, patterns resolved."""
    tasks = plan_tasks(plans, partition_counts)
    topics = [
        InternalTopicPlan(topic, "repartition", partition_counts[topic], {})
        for topic in sorted(repartition_topics)
    ]
    tasks_of = Counter(task.subtopology.id for task in tasks)
    for plan in {task.subtopology.id: task.subtopology for task in tasks}.values():
        topics += _changelogs(plan, tasks_of[plan.id])
    # A topic has at least one partition, even if a pattern matches nothing yet.
    task_topic = task_topic_name(application_id)
    topics.append(InternalTopicPlan(task_topic, "tasks", max(1, len(tasks)), {}))
    return {topic.name: topic for topic in topics}


def _changelogs(plan: SubtopologyPlan, partitions: int) -> Iterable[InternalTopicPlan]:
    for store in plan.stores.values():
        if store.changelog is not None:
            settings = dict(store.builder.changelog_settings)
            yield InternalTopicPlan(store.changelog, "changelog", partitions, settings)
