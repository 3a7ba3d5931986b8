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
from penstock._engine.spark.batch.tasks.feeds import Feed


@dataclass(frozen=True, slots=True)
class TopicFeeds:
    """The topics that tasks read from Kafka, and how far."""

    ranges: Mapping[str, TopicRange]
    settings: Mapping[str, Any] = field(repr=False)
    """Of the consumers."""

    def topics_of(self, stage: Stage) -> frozenset[str]:
        """Return the topics that the tasks of a stage read from Kafka.

        A cycle has all tasks in one Spark partition: a consumer for each of their partitions would
        be too many, so Spark brings the records.
        """
        return frozenset() if stage.is_cycle else frozenset(self.ranges) & set(stage.topics())

    def open(self, places: Iterable[Partition]) -> dict[Partition, Feed]:
        """Return the feed of each partition that has records."""
        splits = {
            (topic, number): Split(topic, number, *self._bounds(topic, number))
            for topic, number in places
        }
        return {
            place: read_split(self.settings, split)
            for place, split in splits.items()
            if split.start < split.end
        }

    def _bounds(self, topic: str, number: int) -> tuple[int, int]:
        of = self.ranges[topic]
        return of.starts[number], of.ends[number]
