"""The topics that carry DataFrames to a topology and back: made if they are missing, and looked at.

They keep their records whatever their timestamps: a broker deletes by the time of a record, and
files may hold years.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TypeAlias

from confluent_kafka import TopicPartition

from penstock._engine.kafka.client import topics
from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, open_admin, with_retries
from penstock._engine.kafka.client.clients import producer_settings
from penstock._engine.kafka.client.groups import commit_offsets, stable_offsets
from penstock._engine.kafka.client.stable_ends import stable_ends
from penstock._engine.kafka.client.topics import (
    PATIENCE_SECONDS,
    describe_topics,
    end_offsets,
    first_offsets,
    peek_at_ends,
)
from penstock._engine.planner.internal_topics import task_topic_name
from penstock.settings import StreamsConfig

_KEPT = {"retention.ms": "-1", "retention.bytes": "-1"}
END_SECONDS = 10.0
"""How long one request may take when a run has ended."""

Offsets: TypeAlias = dict[str, dict[str, tuple[int, str]]]
"""Committed offsets with their metadata, by topic and partition, as JSON has them."""


@dataclass(frozen=True, slots=True)
class CarrierTopics:
    """What the cluster knows of topics."""

    cluster: str
    """The id of the cluster."""
    ids: Mapping[str, str]
    ends: Mapping[str, Mapping[int, int]]
    """The offset after the last record of each partition."""

    def is_used(self, topic: str) -> bool:
        """Return whether a topic has, or has had, records."""
        return any(self.ends[topic].values())


def look_at(config: StreamsConfig, names: Iterable[str]) -> CarrierTopics:
    """Return what the cluster knows of those of `names` that exist.

    Raises:
        StreamsError: the cluster does not answer, or refuses.
    """
    admin = open_admin(config)
    found = describe_topics(admin, sorted(set(names)), PATIENCE_SECONDS)
    places = [(name, at) for name, topic in found.items() for at in range(len(topic.partitions))]
    ends: dict[str, dict[int, int]] = {name: {} for name in found}
    for (name, at), end in end_offsets(admin, places).items():
        ends[name][at] = end
    ids = {name: str(one.topic_id) for name, one in found.items()}
    cluster = with_retries(
        "asking for the cluster",
        lambda: admin.list_topics(timeout=REQUEST_SECONDS).cluster_id,
        PATIENCE_SECONDS,
        admin,
    )
    return CarrierTopics(str(cluster), ids, ends)


def with_others(config: StreamsConfig, own: CarrierTopics) -> CarrierTopics:
    """Return the same with the ends of all other topics of the cluster that tell them soon: those
    of strangers must not keep a run from starting.
    """
    others = peek_at_ends(open_admin(config), own.ends)
    return replace(own, ends={**others, **own.ends})


def topics_that_tell_ends(config: StreamsConfig) -> set[str]:
    """Return all topics of the cluster that tell where they end soon: any of them may be one that
    a record has named.
    """
    return set(peek_at_ends(open_admin(config), ()))


def first_to_read(config: StreamsConfig, topic: str, starts: Mapping[int, int]) -> dict[int, int]:
    """Return where to begin in a topic whose records are wanted from these offsets on: later, where
    retention has deleted the first of them.

    Raises:
        StreamsError: the cluster does not answer, or refuses.
    """
    firsts = first_offsets(open_admin(config), [(topic, number) for number in starts])
    return {number: max(start, firsts[topic, number]) for number, start in starts.items()}


def make_missing(config: StreamsConfig, counts: Mapping[str, int]) -> None:
    """Make those topics that the cluster has not, with so many partitions each.

    Raises:
        StreamsError: one cannot be made.
    """
    topics.make_missing(open_admin(config), counts, config.replication_factor, _KEPT)


def write_name(application: str, topic: str, topic_id: str) -> str:
    """Return the name of a write that is done once, in the journal of the sink: a topic that is
    made anew gets it anew.
    """
    # Ids have characters that topics must not have, and names may be long.
    digest = sha256(f"{application}/{topic}/{topic_id}".encode()).hexdigest()
    return f"{application[:80]}-{topic[:80]}-{digest[:16]}"


def has_started(config: StreamsConfig) -> bool:
    """Return whether the application has ever started on the cluster: its task topic is there."""
    name = task_topic_name(config.application_id)
    return bool(describe_topics(open_admin(config), [name], PATIENCE_SECONDS))


def wait_until_readable(config: StreamsConfig, names: Iterable[str]) -> None:
    """Wait until all can be read that an application which has ended has written to topics.

    Raises:
        StreamsError: the cluster does not answer.
    """
    admin = open_admin(config)
    found = describe_topics(admin, sorted(set(names)), END_SECONDS)
    places = [(name, at) for name, topic in found.items() for at in range(len(topic.partitions))]
    stable_ends(admin, places, timeout_seconds=END_SECONDS)


def patience_after_kill(config: StreamsConfig) -> float:
    """Return how many seconds to wait for committed offsets at a start: a transaction in which a
    worker was killed is open until it times out.
    """
    timeout_ms = producer_settings(config, "").get("transaction.timeout.ms", 0)
    return PATIENCE_SECONDS + float(timeout_ms) / 1000


def offsets_of_group(config: StreamsConfig, patience_seconds: float) -> Offsets:
    """Return what the application has committed.

    Raises:
        StreamsError: the cluster does not answer in time, or refuses.
    """
    offsets: Offsets = {}
    committed = stable_offsets(config, patience_seconds)
    for (topic, number), place in sorted(committed.items()):
        offsets.setdefault(topic, {})[str(number)] = place
    return offsets


def restore_offsets(config: StreamsConfig, offsets: Offsets) -> None:
    """Commit what the application had committed before.

    Raises:
        StreamsError: the cluster refuses, as while the application runs.
    """
    places = [
        TopicPartition(topic, int(number), offset, metadata=metadata)
        for topic, numbers in offsets.items()
        for number, (offset, metadata) in numbers.items()
    ]
    if places:
        commit_offsets(open_admin(config), config.application_id, places)


def begin_offsets(config: StreamsConfig, places: list[tuple[str, int]]) -> None:
    """Commit the first offsets of partitions of which nothing is committed; raises as
    `restore_offsets` does.
    """
    if places:
        admin = open_admin(config)
        firsts = first_offsets(admin, places)
        begun = [TopicPartition(*place, offset) for place, offset in sorted(firsts.items())]
        commit_offsets(admin, config.application_id, begun)
