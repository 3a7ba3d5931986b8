"""Which offsets of a topic are the state of a store, by partition.

A changelog counts up to its last stable offset: what open transactions have written is not
committed. The topic of a table that is its own changelog counts up to the offset that the
application has committed: later records are inputs that it has not processed. The topic of a global
table counts whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.groups import committed_offsets
from penstock._engine.kafka.client.topic_history import Split, TopicRange, find_range
from penstock._engine.kafka.client.topics import partition_counts_of
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.questions import GLOBAL
from penstock.errors import QueryError
from penstock.settings import StreamsConfig

_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Extent:
    """The state of a store, as offsets."""

    topic: str
    by_partition: Mapping[int, tuple[Split, ...]]
    """What is read for each partition of the store; a global store has one, `GLOBAL`."""
    ends: Mapping[int, int]
    """Where the state ends in each partition of the topic."""
    checked: frozenset[int] = frozenset()
    """Partitions that end before their last commit: compaction may have removed what they need."""


def find_extent(
    entry: StoreEntry,
    config: StreamsConfig,
    admin: AdminClient,
    until: Mapping[int, int] | None = None,
) -> Extent:
    """Return the offsets that are the state of a store: as of the last commit, or as of the offsets
    `until` where they are given.

    Raises:
        QueryError: the store has no changelog, or it was deleted.
        StreamsError: the topic has not the offsets.
    """
    topic = entry.plan.restored_from
    if topic is None:
        msg = (
            f"store {entry.name!r} has no changelog: only the running application has its rows "
            "(logging is off, or a processor of a global store fills it)"
        )
        raise QueryError(msg)
    if not partition_counts_of(admin, [topic], _PATIENCE_SECONDS):
        msg = (
            f"the changelog {topic!r} of store {entry.name!r} does not exist: it was deleted, or "
            "the application has not run with this store"
        )
        raise QueryError(msg)
    now = find_range(admin, topic)
    ends = dict(now.ends)
    if entry.plan.source_topic is not None and not entry.is_global:
        done = committed_offsets(config, [(topic, number) for number in ends])
        if not done and any(end > now.starts[number] for number, end in ends.items()):
            msg = (
                f"application {config.application_id!r} has no committed offset of topic "
                f"{topic!r}, which is the changelog of store {entry.name!r}: it has not processed "
                "it, or the broker has forgotten the offsets ('offsets.retention.minutes')"
            )
            raise QueryError(msg)
        ends = {
            number: min(end, done.get((topic, number), now.starts[number]))
            for number, end in ends.items()
        }
    asked = {} if until is None else dict(find_range(admin, topic, until=until).ends)
    asked = {number: end for number, end in asked.items() if number in (until or {})}
    _refuse_future(entry, asked, ends)
    reached = TopicRange(topic, now.starts, {**ends, **asked})
    checked = frozenset(number for number, end in asked.items() if end < ends[number])
    return Extent(topic, _by_partition(entry, reached), reached.ends, checked)


def _refuse_future(entry: StoreEntry, asked: Mapping[int, int], ends: Mapping[int, int]) -> None:
    for number, end in asked.items():
        if end > ends[number]:
            msg = (
                f"store {entry.name!r}, partition {number}: the last commit is at offset "
                f"{ends[number]}; {end} was asked for"
            )
            raise QueryError(msg)


def _by_partition(entry: StoreEntry, reached: TopicRange) -> dict[int, tuple[Split, ...]]:
    whole = {
        number: Split(reached.topic, number, min(reached.starts[number], end), end)
        for number, end in reached.ends.items()
    }
    if entry.is_global:
        return {GLOBAL: tuple(whole[number] for number in sorted(whole))}
    return {number: (whole[number],) for number in sorted(entry.tasks) if number in whole}
