"""Input queues that a task of a backfill reads from Kafka itself.

Where a task needs exactly a partition of a topic, the records need not travel through the JVM and a
Spark shuffle to it: Spark starts the task, and the task reads the offsets of its plan. A retried
task reads the same ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from penstock._engine.kafka.client.topic_history import Split, TopicRange, read_split
from penstock._engine.planner.stages import Stage
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import VALUE, RawRecord

if TYPE_CHECKING:
    from penstock._engine.spark.batch.tasks.feeds import Feed

_CONSUMERS_MAX = 8
_BATCH_RECORDS = 10_000
_VALUE_OF = itemgetter(VALUE)


@dataclass(frozen=True, slots=True)
class TopicFeeds:
    """The topics that tasks read from Kafka, and how far."""

    ranges: Mapping[str, TopicRange]
    settings: Mapping[str, Any] = field(repr=False)
    """Of the consumers."""
    batch_bytes: int | None = None
    """The values of a batch, at most, beside its last record; None: whatever they are."""

    def topics_of(self, stage: Stage) -> frozenset[str]:
        """Return the topics that the tasks of a stage read from Kafka.

        A task has a consumer for each of them, all at once. Where that would be too many, and in a
        cycle, which has all its tasks in one Spark partition, Spark brings the records.
        """
        topics = frozenset(self.ranges) & set(stage.topics())
        return frozenset() if stage.is_cycle or not can_be_read(topics) else topics

    def open(self, places: Iterable[Partition]) -> dict[Partition, Feed]:
        """Return the feed of each partition that has records."""
        splits = {
            (topic, number): Split(topic, number, *self._bounds(topic, number))
            for topic, number in places
        }
        return {
            place: in_equal_batches(read_split(self.settings, split), most_bytes=self.batch_bytes)
            for place, split in splits.items()
            if split.start < split.end
        }

    def _bounds(self, topic: str, number: int) -> tuple[int, int]:
        # A partition that was added since the backfill began is read live.
        of = self.ranges[topic]
        return of.starts.get(number, 0), of.ends.get(number, 0)


def can_be_read(topics: Collection[str]) -> bool:
    """Return whether a task reads these topics itself: it has a consumer for each."""
    return len(topics) <= _CONSUMERS_MAX


def in_equal_batches(feed: Feed, size: int = _BATCH_RECORDS, most_bytes: int | None = None) -> Feed:
    """Yield the records in batches that end at the same records each time, whatever the client has
    read at once: where a batch ends decides when a bad record behind it is handled and whether it
    counts for a commit, and a repeated task must write the same outputs.
    """
    held: list[RawRecord] = []
    held_bytes = 0
    for records in feed:
        at = 0
        while at < len(records):
            some = records[at : at + size - len(held)]
            if most_bytes is not None:
                some_bytes = value_bytes(some)
                if held_bytes + some_bytes >= most_bytes:
                    some = _until(some, most_bytes - held_bytes)
                    some_bytes = most_bytes - held_bytes
                held_bytes += some_bytes
            held += some
            at += len(some)
            if len(held) >= size or (most_bytes is not None and held_bytes >= most_bytes):
                yield held
                held, held_bytes = [], 0
    if held:
        yield held


def value_bytes(records: Iterable[RawRecord]) -> int:
    """Return how many bytes the values of records have."""
    return sum(map(len, filter(None, map(_VALUE_OF, records))))


def _until(records: list[RawRecord], most_bytes: int) -> list[RawRecord]:
    """Return the first records, with the one that reaches a number of bytes."""
    for number, total in enumerate(accumulate(len(record[VALUE] or b"") for record in records), 1):
        if total >= most_bytes:
            return records[:number]
    return records
