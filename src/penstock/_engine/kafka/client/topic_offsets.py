"""Where the topics of a reader begin and end now: topics by name, or all that match a pattern.

For a reader that asks again and again: partitions are looked for once a second, ends each time. The
end of a partition is its last stable offset: what open transactions have written is not there yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from confluent_kafka import KafkaError
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from penstock import _clock as clock
from penstock._engine.kafka.client.admin_calls import RenewedAdmin, open_admin
from penstock._engine.kafka.client.topic_history import Bound, TopicRange, find_range
from penstock._engine.kafka.client.topics import (
    PATIENCE_SECONDS,
    Isolation,
    ask_offsets,
    describe_topics,
    existing_topics,
    offsets_refused,
    settings_of_topics,
)
from penstock._engine.planner.internal_topics import is_sink_journal
from penstock._engine.planner.tasks import Partition
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_METADATA_SECONDS = 1.0
_TIMESTAMP_TYPES = {"CreateTime": 0, "LogAppendTime": 1}
_ABSENT = frozenset({KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_PARTITION})


@dataclass(frozen=True, slots=True)
class TopicChoice:
    """Which topics are read: those of some names, or all whose whole name matches a pattern."""

    names: tuple[str, ...] = ()
    pattern: str | None = None

    @property
    def label(self) -> str:
        """A short name, for Spark's UI."""
        return "_".join(self.names) or "by_pattern"

    def __str__(self) -> str:
        names = ", ".join(map(repr, self.names))
        return names if self.pattern is None else f"topics that match {self.pattern!r}"


class TopicOffsets:
    """Asks a cluster for partitions and offsets. The client is made at the first question, in the
    process that asks.
    """

    def __init__(self, config: StreamsConfig, choice: TopicChoice) -> None:
        # A query runs for months: a client that finds no broker any more is replaced.
        self._admin = cast("AdminClient", RenewedAdmin(lambda: open_admin(config)))
        self._choice = choice
        self._described: Mapping[str, Any] = {}
        self._looked_at: float | None = None

    def ids(self) -> dict[str, str]:
        """Return the ids of the topics that exist."""
        return {name: str(topic.topic_id) for name, topic in self._topics().items()}

    def partitions(self) -> list[Partition]:
        """Return the partitions of the topics that exist."""
        topics = sorted(self._topics().items())
        return [(name, at) for name, topic in topics for at in range(len(topic.partitions))]

    def ends(self) -> dict[Partition, int]:
        """Return the last stable offset of all partitions that exist.

        Raises:
            StreamsError: the cluster does not answer, or refuses.
        """
        spec = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        return self._ask(self.partitions(), spec, "read_committed")

    def firsts(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Return the first offset of those partitions that exist; raises as `ends` does."""
        known = set(self.partitions())
        wanted = [partition for partition in partitions if partition in known]
        return self._ask(wanted, OffsetSpec.earliest(), "read_uncommitted")  # type: ignore[no-untyped-call]

    def refresh(self) -> None:
        """Look for partitions at the next question, however lately it was done."""
        self._looked_at = None

    def ranges(self, since: Mapping[str, Bound], until: Mapping[str, Bound]) -> list[TopicRange]:
        """Return where each topic begins and ends; `since` and `until` are by topic, under "" for
        all others.

        Raises:
            StreamsError: a topic does not exist, or has not the offsets.
        """
        self.refresh()
        found = self._topics()
        missing = sorted({*self._choice.names, *since, *until} - {*found, ""})
        if missing:
            raise StreamsError(_missing(missing))
        return [
            find_range(
                self._admin,
                topic,
                since=since.get(topic, since.get("")),
                until=until.get(topic, until.get("")),
            )
            for topic in sorted(found)
        ]

    def timestamp_types(self, topics: Iterable[str]) -> dict[str, int]:
        """Return 0 for topics whose records have the time of their producer, 1 for those with the
        broker's. One whose settings may not be seen is left out.
        """
        found = settings_of_topics(self._admin, sorted(set(topics)))
        kinds = {name: told.get("message.timestamp.type", "") for name, told in found.items()}
        return {
            name: _TIMESTAMP_TYPES[kind] for name, kind in kinds.items() if kind in _TIMESTAMP_TYPES
        }

    def _topics(self) -> Mapping[str, Any]:
        now = clock.monotonic()
        if self._looked_at is None or now - self._looked_at >= _METADATA_SECONDS:
            self._described = describe_topics(self._admin, self._names(), PATIENCE_SECONDS)
            self._looked_at = now
        return self._described

    def _names(self) -> Iterable[str]:
        if self._choice.pattern is None:
            return self._choice.names
        pattern = re.compile(self._choice.pattern)
        topics = filter(pattern.fullmatch, existing_topics(self._admin))
        # A query that writes what it reads would read what it notes about that.
        return [topic for topic in topics if not is_sink_journal(topic)]

    def _ask(
        self, partitions: Iterable[Partition], spec: OffsetSpec, isolation: Isolation
    ) -> dict[Partition, int]:
        wanted = list(partitions)
        answers, refusals = ask_offsets(self._admin, wanted, spec, isolation)
        for partition, refusal in refusals.items():
            if refusal.code() not in _ABSENT:  # deleted a moment ago: it is left out
                raise offsets_refused(partition, refusal)
        found = {partition: answer.offset for partition, answer in answers.items()}
        if not refusals:
            return found
        self.refresh()
        left = [one for one in wanted if one not in found and one not in refusals]
        return found | (self._ask(left, spec, isolation) if left else {})


def _missing(topics: Iterable[str]) -> str:
    names = ", ".join(map(repr, topics))
    return (
        f"topics must exist before they are read; missing: {names}; create them, correct the "
        "names, or say subscribePattern (a compiled pattern) for topics that are still to come"
    )
