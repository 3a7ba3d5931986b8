"""The topics of a cluster, their sizes and retention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from confluent_kafka import TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    OffsetSpec,
    ResourceType,
)

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, settle, with_retries

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
    places = [
        TopicPartition(name, number) for name, topic in there.items() for number in topic.partitions
    ]
    spans = _spans(admin, places)
    settings = _settings(admin, there)
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


def _spans(admin: AdminClient, places: list[TopicPartition]) -> dict[str, int]:
    if not places:
        return {}
    starts, lost = _ask_offsets(admin, places, OffsetSpec.earliest())  # type: ignore[no-untyped-call]
    ends, lost_too = _ask_offsets(admin, places, OffsetSpec.latest())  # type: ignore[no-untyped-call]
    spans: Counter[str] = Counter()
    for place in places:
        if place in starts and place in ends:
            spans[place.topic] += ends[place].offset - starts[place].offset
    return {name: span for name, span in spans.items() if name not in lost | lost_too}


def _ask_offsets(
    admin: AdminClient, places: list[TopicPartition], spec: OffsetSpec
) -> tuple[dict[TopicPartition, Any], set[str]]:
    answers, refusals = with_retries(
        "asking for offsets",
        lambda: settle(
            admin.list_offsets(dict.fromkeys(places, spec), request_timeout=REQUEST_SECONDS)
        ),
        _PATIENCE_SECONDS,
    )
    return answers, {place.topic for place in refusals}


def _settings(admin: AdminClient, topics: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the settings of the topics that may be described."""
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in topics]
    if not resources:
        return {}
    answers, _ = with_retries(
        "asking for the settings of topics",
        lambda: settle(admin.describe_configs(resources, request_timeout=REQUEST_SECONDS)),
        _PATIENCE_SECONDS,
    )
    return {
        resource.name: {key: entry.value for key, entry in entries.items()}
        for resource, entries in answers.items()
    }


def _whole(text: str | None) -> int | None:
    return None if text is None else int(text)
