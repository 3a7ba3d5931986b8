"""What an application must be allowed to do on its cluster, and what of it it may not.

Java: the table of ACLs in Kafka Streams' security guide; the task topic is Penstock's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock._engine.planner.layout import Layout

Resource: TypeAlias = Literal["topic", "group", "cluster"]
_FLAGS: Mapping[Resource, str] = {"topic": "--topic", "group": "--group", "cluster": "--cluster"}


@dataclass(frozen=True, slots=True)
class Need:
    """Operations on one thing, such as READ and DESCRIBE on a topic."""

    resource: Resource
    name: str
    operations: frozenset[str]


def needs_of(layout: Layout, existing: Iterable[str]) -> list[Need]:
    """Give what an application needs of topics that exist, of its group, and of the cluster."""
    there, draft = set(existing), layout.draft
    reading, writing = frozenset({"READ", "DESCRIBE"}), frozenset({"WRITE", "DESCRIBE"})
    wanted: dict[str, frozenset[str]] = dict.fromkeys(draft.topics_to_count, reading)
    for topic in draft.outputs:
        wanted[topic] = wanted.get(topic, frozenset()) | writing
    for topic, plan in layout.internal_topics.items():
        # What has been read of a repartition topic is deleted.
        wanted[topic] = (
            reading | writing | ({"DELETE"} if plan.kind == "repartition" else frozenset())
        )
    needs = [Need("topic", topic, wanted[topic]) for topic in sorted(wanted) if topic in there]
    needs.append(Need("group", draft.application_id, frozenset({"READ", "DESCRIBE"})))
    if any(topic not in there for topic in layout.internal_topics):
        needs.append(Need("cluster", "", frozenset({"CREATE"})))
    return needs


def missing_of(need: Need, allowed: Iterable[str]) -> list[str]:
    """Give the operations that are needed and not allowed."""
    return sorted(need.operations - set(allowed))


def acl_command(need: Need, missing: Iterable[str]) -> str:
    """Give Kafka's command that allows what is missing; the principal is the user's to fill in."""
    operations = " ".join(f"--operation {name.capitalize()}" for name in missing)
    thing = f"{_FLAGS[need.resource]} {need.name}".strip()
    return f"kafka-acls.sh --add --allow-principal User:YOU {operations} {thing}"
