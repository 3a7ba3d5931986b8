"""Input queues that a task of a backfill reads from Kafka itself.

Where a task needs exactly a partition of a topic, the records need not travel through the JVM and a
Spark shuffle to it: Spark starts the task, and the task reads the offsets of its plan. A retried
task reads the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock._engine.kafka.client.topic_history import Split, TopicRange, read_split
from penstock._engine.planner.stages import Stage
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.records import RawRecord
from penstock._engine.spark.batch.tasks.feeds import Feed

_CONSUMERS_MAX = 8
_BATCH_RECORDS = 10_000


@dataclass(frozen=True, slots=True)
class TopicFeeds:
    """The topics that tasks read from Kafka, and how far."""

    ranges: Mapping[str, TopicRange]
    settings: Mapping[str, Any] = field(repr=False)
    """Of the consumers."""

    def topics_of(self, stage: Stage) -> frozenset[str]:
        """Return the topics that the tasks of a stage read from Kafka.

        A task has a consumer for each of them, all at once. Where that would be too many, and in a
        cycle, which has all its tasks in one Spark partition, Spark brings the records.
        """
        topics = frozenset(self.ranges) & set(stage.topics())
        return frozenset() if stage.is_cycle or len(topics) > _CONSUMERS_MAX else topics

    def open(self, places: Iterable[Partition]) -> dict[Partition, Feed]:
        """Return the feed of each partition that has records."""
        splits = {
            (topic, number): Split(topic, number, *self._bounds(topic, number))
            for topic, number in places
        }
        return {
            place: in_equal_batches(read_split(self.settings, split))
            for place, split in splits.items()
            if split.start < split.end
        }

    def _bounds(self, topic: str, number: int) -> tuple[int, int]:
        # A partition that was added since the backfill began is read live.
        of = self.ranges[topic]
        return of.starts.get(number, 0), of.ends.get(number, 0)


def in_equal_batches(feed: Feed, size: int = _BATCH_RECORDS) -> Feed:
    """Yield the records in batches that end at the same records each time, whatever the client has
    read at once: where a batch ends decides when a bad record behind it is handled and whether it
    counts for a commit, and a repeated task must write the same outputs.
    """
    held: list[RawRecord] = []
    for records in feed:
        held += records
        while len(held) >= size:
            yield held[:size]
            held = held[size:]
    if held:
        yield held
