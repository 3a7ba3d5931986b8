"""Whether the topics that an application reads are still those that it was planned for.

Java's consumers notice new partitions and deleted topics when they refresh their metadata, and the
group is dealt new tasks. Here the driver looks, since it makes the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from penstock._engine.kafka.client.admin_calls import renewed_admin
from penstock._engine.kafka.client.topics import describe_topics, existing_topics
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.layout import Draft, draft_of
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

LOOK_SECONDS = 5.0

_ANSWER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class TopicChange:
    """What has become of the topics of an application since it was planned."""

    missing: tuple[str, ...] = ()
    resized: Mapping[str, tuple[int, int]] | None = None
    """Topics whose number of partitions has changed: (planned, found)."""
    matched: tuple[str, ...] = ()
    """Topics that a pattern matches now and did not when it was planned, or the other way round.
    """
    remade: tuple[str, ...] = ()
    """Topics that were deleted and made again: committed offsets do not apply to them."""

    @property
    def must_end(self) -> bool:
        """Whether the application cannot go on."""
        return bool(self.missing or self.remade)

    def __str__(self) -> str:
        parts = [f"topic {topic!r} is gone" for topic in self.missing]
        parts += (f"topic {topic!r} was deleted and made again" for topic in self.remade)
        parts += (
            f"topic {topic!r} has {now} partitions, it had {before}"
            for topic, (before, now) in (self.resized or {}).items()
        )
        parts += (f"topic {topic!r} has come or gone for a pattern" for topic in self.matched)
        return "; ".join(parts)


def compare(
    planned: Mapping[str, int | None],
    found: Mapping[str, int],
    matched: frozenset[str] = frozenset(),
) -> TopicChange | None:
    """Compare the partition counts of topics, `planned` with `found`; return None if they are the
    same. A planned count of None stands for any count. `matched` is as in `TopicChange`.
    """
    missing = tuple(sorted(planned.keys() - found.keys() - matched))
    resized = {
        topic: (count, found[topic])
        for topic, count in sorted(planned.items())
        if count is not None and topic in found and found[topic] != count
    }
    if not missing and not resized and not matched:
        return None
    return TopicChange(missing, resized, tuple(sorted(matched)))


class TopicWatch:
    """Looks at the topics of one application. A topic counts as gone if it is not there twice in a
    row: a broker that has just come up does not know all topics yet.
    """

    def __init__(self, topology: Topology, config: StreamsConfig, blueprint: Blueprint) -> None:
        self._draft: Draft = draft_of(topology, config.application_id)
        self._admin = renewed_admin(config)
        # Changelogs have as many partitions as their tasks, which was checked at the start.
        self._planned: dict[str, int | None] = {
            **dict.fromkeys(blueprint.internal_topics),
            **blueprint.partition_counts,
        }
        self._of_users = self._planned.keys() - blueprint.internal_topics
        self._missing: tuple[str, ...] = ()
        self._ids: dict[str, str] = {}
        self.look()

    def look(self) -> TopicChange | None:
        """Return what has changed, None if nothing has or the cluster does not answer now."""
        try:
            topics = describe_topics(self._admin, self._planned, _ANSWER_SECONDS)
            found = {name: len(topic.partitions) for name, topic in topics.items()}
            change = compare(self._planned, found, self._newly_matched())
            if remade := self._remade({name: str(one.topic_id) for name, one in topics.items()}):
                return TopicChange(remade=remade)
        except StreamsError:
            return None
        missing, self._missing = self._missing, change.missing if change else ()
        if change is not None and change.missing and change.missing != missing:
            return None
        return change

    def _remade(self, ids: Mapping[str, str]) -> tuple[str, ...]:
        """Return the topics that have another id than at the last look."""
        remade = [name for name, id in ids.items() if self._ids.setdefault(name, id) != id]
        return tuple(sorted(remade))

    def _newly_matched(self) -> frozenset[str]:
        if not self._draft.has_patterns:
            return frozenset()
        now = set(self._draft.resolved(existing_topics(self._admin)).topics_to_count)
        fixed = set(self._draft.topics_to_count)
        return frozenset((now ^ self._of_users) - fixed)
