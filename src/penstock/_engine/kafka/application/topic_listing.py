"""The topics of a cluster, their sizes and retention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    OffsetSpec,
)

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, with_retries
from penstock._engine.kafka.client.topics import ask_offsets, settings_of_topics
from penstock._engine.planner.tasks import Partition

_PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """A topic as it is."""

    name: str
    partitions: int
    copies: int
    offsets: int | None
    """How many offsets it spans: its records, and what compaction and transactions left between
    them. None if that is not known.
    """
    cleanup_policy: str | None
    retention_ms: int | None


def look_at_topics(admin: AdminClient, topics: Iterable[str]) -> list[TopicFacts]:
    """Return those of the topics that exist, in the order of their names."""
    known = with_retries(
        "listing the topics", lambda: admin.list_topics(timeout=REQUEST_SECONDS), _PATIENCE_SECONDS
    ).topics
    there = {name: known[name] for name in sorted(set(topics)) if name in known}
    places = [(name, number) for name, topic in there.items() for number in topic.partitions]
    spans = _spans(admin, places)
    settings = settings_of_topics(admin, there, _PATIENCE_SECONDS)
    return [
        TopicFacts(
            name,
            len(topic.partitions),
            min((len(part.replicas) for part in topic.partitions.values()), default=0),
            spans.get(name),
            settings.get(name, {}).get("cleanup.policy"),
            _whole(settings.get(name, {}).get("retention.ms")),
        )
        for name, topic in there.items()
    ]


def _spans(admin: AdminClient, places: list[Partition]) -> dict[str, int]:
    """Return how many offsets each topic spans whose partitions may all be described."""
    earliest, latest = OffsetSpec.earliest(), OffsetSpec.latest()  # type: ignore[no-untyped-call]
    starts, lost = ask_offsets(admin, places, earliest, timeout_seconds=_PATIENCE_SECONDS)
    ends, lost_too = ask_offsets(admin, places, latest, timeout_seconds=_PATIENCE_SECONDS)
    spans: Counter[str] = Counter()
    for place in places:
        if place in starts and place in ends:
            spans[place[0]] += ends[place].offset - starts[place].offset
    unknown = {topic for topic, _ in (*lost, *lost_too)}
    return {name: span for name, span in spans.items() if name not in unknown}


def _whole(text: str | None) -> int | None:
    return None if text is None else int(text)
