"""The permissions that an application needs on its cluster, no more, and those that it lacks.

`penstock plan --acls` prints them, `penstock doctor` and every start compare them with the
cluster's, and tests/broker/test_permissions.py runs an application with exactly these. READ, WRITE,
DELETE and ALTER include DESCRIBE. Java: the table of ACLs in Kafka Streams' security guide; the
task topic is Penstock's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock._engine.planner.internal_topics import InternalTopicPlan
from penstock._engine.planner.layout import Layout
from penstock.settings import StreamsConfig

Resource: TypeAlias = Literal["topic", "group", "transactional-id", "cluster"]

UNKNOWN_PRINCIPAL = "User:YOU"
"""A placeholder for a principal that only the user knows."""

_CREATE, _READ, _WRITE = frozenset({"CREATE"}), frozenset({"READ"}), frozenset({"WRITE"})


@dataclass(frozen=True, slots=True)
class Need:
    """Operations on one resource, such as READ on a topic."""

    resource: Resource
    name: str
    operations: frozenset[str]
    advised: frozenset[str] = frozenset()
    """Operations without which the application runs, but logs what it cannot do."""
    prefixed: bool = False
    """Whether `name` is a prefix of the resources' names."""
    why: str = ""

    @property
    def all_operations(self) -> list[str]:
        """The needed and the advised operations, sorted."""
        return sorted(self.operations | self.advised)


def needs_of(layout: Layout, config: StreamsConfig) -> list[Need]:
    """Return everything an application needs, from its first start on: topics, group, transactions.

    Topics that a program names only at run time are not known here.
    """
    draft, application_id = layout.draft, layout.draft.application_id
    needs = [
        *_of_users_topics(layout, config),
        *(_of_internal_topic(plan) for plan in layout.internal_topics.values()),
        Need("group", application_id, _READ, why="shares the tasks out and commits offsets"),
    ]
    if config.exactly_once:
        why = "one transactional id for each worker"
        needs.append(
            Need("transactional-id", f"{draft.application_id}-", _WRITE, prefixed=True, why=why)
        )
    return needs


def _of_users_topics(layout: Layout, config: StreamsConfig) -> Iterator[Need]:
    draft = layout.draft
    reads, writes = set(draft.topics_to_count), set(draft.outputs)
    dead_letters = config.as_mapping()["errors.dead.letter.queue.topic.name"]
    if dead_letters:
        writes.add(str(dead_letters))
    restored = set(draft.topology.source_changelogs.values())
    for topic in sorted(reads | writes):
        done = [name for name, those in (("reads", reads), ("writes", writes)) if topic in those]
        yield Need(
            "topic",
            topic,
            (_READ if topic in reads else frozenset())
            | (_WRITE if topic in writes else frozenset()),
            frozenset({"DESCRIBE_CONFIGS"}) if topic in restored else frozenset(),
            why=f"{' and '.join(done)} it",
        )


def _of_internal_topic(plan: InternalTopicPlan) -> Need:
    only = {
        "repartition": ("DELETE", "deletes what has been read"),
        "changelog": (None, "writes every change of a store, reads it to restore"),
        "tasks": ("ALTER", "its partitions are the tasks: more of them when the program has more"),
    }
    operation, why = only[plan.kind]
    advised = frozenset({"DESCRIBE_CONFIGS", *([operation] if operation else [])})
    return Need("topic", plan.name, _CREATE | _READ | _WRITE, advised, why=why)


def missing_of(need: Need, allowed: Iterable[str]) -> list[str]:
    """Return the operations that are needed and not allowed."""
    return sorted(need.operations - set(allowed))


def unadvised_of(need: Need, allowed: Iterable[str]) -> list[str]:
    """Return the operations that are advised and not allowed."""
    return sorted(need.advised - set(allowed))


def acl_command(need: Need, operations: Iterable[str], principal: str = UNKNOWN_PRINCIPAL) -> str:
    """Return Kafka's command that allows operations."""
    flags = " ".join(f"--operation {_in_pascal_case(name)}" for name in operations)
    thing = f"--{need.resource} {need.name}".strip()
    pattern = " --resource-pattern-type prefixed" if need.prefixed else ""
    return f"kafka-acls.sh --add --allow-principal {principal} {flags} {thing}{pattern}"


def listed(missing: Mapping[Need, Iterable[str]]) -> str:
    """Return permissions as one text: READ on topic 'lines', WRITE on topic 'counts'."""
    return ", ".join(
        f"{' and '.join(operations)} on {_titled(need)}" for need, operations in missing.items()
    )


def _titled(need: Need) -> str:
    kind = need.resource.replace("-", " ")
    if need.prefixed:
        return f"every {kind} that begins with {need.name!r}"
    return f"{kind} {need.name!r}" if need.name else f"the {kind}"


def _in_pascal_case(operation: str) -> str:
    return "".join(part.capitalize() for part in operation.split("_"))
