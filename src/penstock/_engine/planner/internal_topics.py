"""The internal topics of an application: names, partitions and settings are Java's.

Repartition topics keep records until they have been read and purged. Changelogs keep the last value
of each key; those of windows for their retention, those of versions all values for the history. The
task topic is Penstock's own: Kafka's group protocol assigns its partitions, and each is a task.
Java: RepartitionTopicConfig, UnwindowedUnversionedChangelogTopicConfig,
WindowedChangelogTopicConfig, VersionedChangelogTopicConfig.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.tasks import plan_tasks
from penstock.stores import StoreBuilder

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

_DAY_MS = 24 * 60 * 60 * 1000
_LONGEST_MS = 2**63 - 1

_TASKS_ENDING = "-penstock-tasks"
_ENDINGS = (
    "-repartition",
    "-changelog",
    "-subscription-registration-topic",
    "-subscription-response-topic",
    _TASKS_ENDING,
)
SINK_PREFIX = "penstock-sink-"
"""How journals, transactional ids and groups of the sinks of DataFrames begin."""
JOURNAL_ENDING = "-journal"
_UNNAMED_JOIN = re.compile(
    r".*-KTABLE-FK-JOIN-SUBSCRIPTION-(REGISTRATION|RESPONSE)-[0-9]{10}-topic"
)


@dataclass(frozen=True, slots=True)
class InternalTopicPlan:
    """The desired state of a topic; `settings` are the user's for this topic alone."""

    name: str
    kind: Kind
    partitions: int
    settings: Mapping[str, str]
    defaults: Mapping[str, str] = field(default_factory=dict)
    """The settings of its kind of store that differ from the kind of topic."""
    needed: Mapping[str, str] = field(default_factory=dict)
    """What its store needs, unless the user's settings for this topic differ."""

    def settings_with(self, of_all_topics: Mapping[str, str]) -> dict[str, str]:
        """Return all settings. Each of these overrides the one before: the defaults of its kind,
        the user's for all internal topics, what its store needs, the user's for this topic.
        """
        of_kind = {**_DEFAULTS[self.kind], **self.defaults}
        return {**of_kind, **of_all_topics, **self.needed, **self.settings}


@dataclass(frozen=True, slots=True)
class NamedTopics:
    """The topics that a program names; no program, no topics."""

    users: frozenset[str] = frozenset()
    """Those that it reads and writes: never internal, whatever they are called."""
    internal: frozenset[str] = frozenset()
    """Changelogs and repartition topics that it makes."""


@dataclass(frozen=True, slots=True)
class InternalTopics:
    """The topics of a cluster that are an application's own, and those that only look so."""

    own: tuple[str, ...]
    of_others: Mapping[str, tuple[str, ...]]
    """By the id of the application that they belong to."""


def task_topic_name(application_id: str) -> str:
    """Return the name of the topic whose partitions are the tasks."""
    return f"{application_id}{_TASKS_ENDING}"


def users_topics(topics: Iterable[str]) -> list[str]:
    """Return the topics that are not internal to any application, by their names."""
    return [
        topic
        for topic in topics
        if not topic.endswith(_ENDINGS)
        and _UNNAMED_JOIN.fullmatch(topic) is None
        and not is_sink_journal(topic)
    ]


def is_internal(topic: str, application_id: str) -> bool:
    """Return whether a topic is internal to an application, by its name, whatever the program."""
    if not topic.startswith(f"{application_id}-"):
        return False
    return topic.endswith(_ENDINGS) or _UNNAMED_JOIN.fullmatch(topic) is not None


def is_sink_journal(topic: str) -> bool:
    """Return whether a topic is the journal of a sink that writes DataFrames, by its name."""
    return topic.startswith(SINK_PREFIX) and topic.endswith(JOURNAL_ENDING)


def internal_topics_among(
    topics: Collection[str], application_id: str, named: NamedTopics
) -> InternalTopics:
    """Return the internal topics of an application among those of a cluster.

    Names are ambiguous: those of application `shop-eu` begin with `shop-`, too. A topic belongs to
    the application with the longest id among those that have a task topic, unless the program makes
    it itself. Java: KAFKA-7930 for the inputs; its tool takes the topics of `shop-eu` for `shop`'s.
    """
    own: list[str] = []
    of_others: dict[str, list[str]] = {}
    longer = _longer_ids(topics, application_id)
    for topic in sorted(topics):
        if topic in named.users or not is_internal(topic, application_id):
            continue
        owner = next((other for other in longer if topic.startswith(f"{other}-")), None)
        if owner is None or topic in named.internal:
            own.append(topic)
        else:
            of_others.setdefault(owner, []).append(topic)
    return InternalTopics(tuple(own), {owner: tuple(its) for owner, its in of_others.items()})


def _longer_ids(topics: Iterable[str], application_id: str) -> list[str]:
    """Return the ids of applications that begin with this one's, the longest first."""
    endings = [topic for topic in topics if topic.endswith(_TASKS_ENDING)]
    ids = [topic.removesuffix(_TASKS_ENDING) for topic in endings]
    return sorted((one for one in ids if one.startswith(f"{application_id}-")), key=len)[::-1]


def plan_internal_topics(
    plans: Iterable[SubtopologyPlan],
    partition_counts: Mapping[str, int],
    repartition_topics: Iterable[str],
    application_id: str,
    *,
    additional_retention_ms: int = _DAY_MS,
) -> dict[str, InternalTopicPlan]:
    """Return the internal topics by name, all names as on the broker, patterns resolved.

    A changelog of windows keeps its records `additional_retention_ms` longer than its store.
    """
    tasks = plan_tasks(plans, partition_counts)
    topics = [
        InternalTopicPlan(topic, "repartition", partition_counts[topic], {})
        for topic in sorted(repartition_topics)
    ]
    tasks_of = Counter(task.subtopology.id for task in tasks)
    for plan in {task.subtopology.id: task.subtopology for task in tasks}.values():
        topics += _changelogs(plan, tasks_of[plan.id], additional_retention_ms)
    # A topic has at least one partition, even if a pattern matches nothing yet.
    task_topic = task_topic_name(application_id)
    topics.append(InternalTopicPlan(task_topic, "tasks", max(1, len(tasks)), {}))
    return {topic.name: topic for topic in topics}


def _changelogs(
    plan: SubtopologyPlan, partitions: int, additional_retention_ms: int
) -> Iterable[InternalTopicPlan]:
    for store in plan.stores.values():
        if store.changelog is not None:
            yield InternalTopicPlan(
                store.changelog,
                "changelog",
                partitions,
                dict(store.builder.changelog_settings),
                *_of_store(store.builder, additional_retention_ms),
            )


def _of_store(
    builder: StoreBuilder, additional_retention_ms: int
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the defaults and the needs of a changelog that come from its store."""
    if builder.times is None:
        return {}, {}
    retention_ms = builder.times.retention_ms
    if builder.kind == "versioned_key_value":
        # Old versions must not be compacted away within the history.
        lag_ms = min(retention_ms + _DAY_MS, _LONGEST_MS)
        return {}, {"min.compaction.lag.ms": str(lag_ms)}
    kept_ms = min(retention_ms + additional_retention_ms, _LONGEST_MS)
    return {"cleanup.policy": "compact,delete"}, {"retention.ms": str(kept_ms)}
