"""A bounded run as DataFrames: each stage reads its inputs and what earlier stages have written.

A Spark shuffle sends the rows of a stage to the Spark partition of their task, sorted by queue and
by order in the queue. What a stage writes is persisted on disk: sinks, stores and later stages all
read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.stages import JobPlan, Stage
from penstock._engine.spark.batch.arrow_map import is_connect, map_in_arrow
from penstock._engine.spark.batch.inputs import headers_of, normalized
from penstock._engine.spark.batch.schemas import (
    CHANGELOG,
    FEED_COLUMNS,
    FIRST_ROW,
    POSITION,
    RECORD,
    STORE,
    WRITTEN,
)
from penstock._engine.spark.batch.tasks.deliveries import DeliveryPack
from penstock._engine.spark.batch.tasks.stage import StagePack, run_stage
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock._engine.spark.shipping.shipping import dumps, pack

_ORDER = ("first", "second", "third", "fourth")
"""Columns that order the rows of a queue."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How a job is run."""

    now_ms: int
    """The wall clock that processors see."""
    records_per_commit: int = 10_000
    keeps_changelogs: bool = False
    delivery: DeliveryPack | None = None
    """Of a backfill: how its tasks write to Kafka."""
    topic_feeds: TopicFeeds | None = None
    """Of a backfill: the inputs that its tasks read from Kafka; they have DataFrames, too."""


class Job:
    """The stages of a run. They are lazy: reading rows computes them."""

    def __init__(self, plan: JobPlan, inputs: Mapping[str, DataFrame], options: JobOptions) -> None:
        self.plan = plan
        self._options = options
        self._inputs = {
            topic: normalized(topic, frame, plan.partition_count(topic))
            for topic, frame in inputs.items()
        }
        _check_shippable(plan)
        first = next(iter(self._inputs.values()))
        self.records_processed = (
            None if is_connect(first) else first.sparkSession.sparkContext.accumulator(0)
        )
        """How many records tasks have processed; a task that Spark runs again counts again. None
        over Spark Connect, which has no accumulators.
        """
        self.stages: list[DataFrame] = []
        """What each stage writes: rows of all kinds."""
        for stage in plan.stages:
            self.stages.append(self._build(stage))

    def records(self) -> DataFrame:
        """Return the records of all topics that stages write, internal ones too: topic, partition,
        offset, key, value, timestamp in milliseconds, headers; by partition and offset they are in
        the order in which a topic would have them.
        """
        written = self._of_kind(RECORD)
        place = (
            "row_number() over (partition by name, partition order by rank, stage, "
            "spark_partition, sequence)"
        )
        return written.select(
            F.col("name").alias("topic"),
            "partition",
            (F.expr(place) - 1).cast("long").alias("offset"),
            "key",
            "value",
            "timestamp",
            "headers",
        )

    def store_rows(self) -> DataFrame:
        """Return the rows of all stores: store, partition, key, value, timestamp, start, end."""
        return self._of_kind(STORE).select(
            F.col("name").alias("store"), "partition", "key", "value", "timestamp", "start", "end"
        )

    def changelogs(self) -> DataFrame:
        """Return the changelog records, in the order of `sequence` for each partition of a topic:
        topic, partition, sequence, key, value, timestamp, headers. None unless `keeps_changelogs`.
        """
        return self._of_kind(CHANGELOG).select(
            F.col("name").alias("topic"),
            "partition",
            "sequence",
            "key",
            "value",
            "timestamp",
            "headers",
        )

    def positions(self) -> DataFrame:
        """Return how far each partition of an input was read: topic, partition, next_offset,
        metadata (what a live application commits beside the offset), partition_time.
        """
        return self._of_kind(POSITION).select(
            F.col("name").alias("topic"),
            "partition",
            F.col("sequence").alias("next_offset"),
            F.col("value").cast("string").alias("metadata"),
            F.col("timestamp").alias("partition_time"),
        )

    def unpersist(self) -> None:
        """Delete what was computed; reading rows computes it again."""
        for frame in self.stages:
            frame.unpersist()

    def _of_kind(self, kind: int) -> DataFrame:
        rows = [
            frame.where(F.col("kind") == kind).withColumn("stage", F.lit(number))
            for number, frame in enumerate(self.stages)
        ]
        if not rows:
            # No topic matches its patterns.
            nothing = next(iter(self._inputs.values())).sparkSession.createDataFrame([], WRITTEN)
            return nothing.withColumn("stage", F.lit(0))
        return reduce(DataFrame.unionByName, rows)

    def _build(self, stage: Stage) -> DataFrame:
        topics = stage.topics()
        read_by_tasks = self._options.topic_feeds
        of_kafka = frozenset() if read_by_tasks is None else read_by_tasks.topics_of(stage)
        feeds = [
            None if topic in of_kafka else self._topic_feed(stage, number, topic)
            for number, topic in enumerate(topics)
        ]
        partitions = stage.spark_partitions
        feeds += [self._first_rows(partitions), *self._global_feeds(partitions)]
        feed = reduce(DataFrame.unionByName, [one for one in feeds if one is not None])
        order = ["input", "partition", *_ORDER, "key", "value", "headers"]
        sorted_feed = feed.repartitionById(partitions, F.col("target")).sortWithinPartitions(*order)
        options = self._options
        packed = dumps(
            StagePack(
                self.plan,
                stage.number,
                options.now_ms,
                options.records_per_commit,
                options.keeps_changelogs,
                options.delivery,
                options.topic_feeds,
            )
        )
        name = stage.name.replace(" ", "_").replace("-", "_")
        written = map_in_arrow(
            sorted_feed.select(*FEED_COLUMNS),
            run_stage(packed, self.records_processed),
            WRITTEN,
            name,
        )
        return written.persist(StorageLevel.DISK_ONLY)

    def _topic_feed(self, stage: Stage, number: int, topic: str) -> DataFrame | None:
        """Return the rows of a topic for a stage; None if only its own tasks write the topic."""
        if topic in self._inputs:
            rows = self._inputs[topic]
            has_offset = F.col("offset").isNotNull()
            first = F.when(has_offset, F.col("offset")).otherwise(F.col("timestamp"))
            zero = F.lit(0).cast("long")
            return self._feed_rows(rows, stage, number, (first, zero, zero, zero))
        earlier = [
            self.stages[other.number]
            .where((F.col("kind") == RECORD) & (F.col("name") == topic))
            .withColumn("stage", F.lit(other.number))
            for other in self.plan.stages[: stage.number]
            if any(topic in plan.sink_topics() for plan in other.plans)
        ]
        if not earlier:
            return None
        rows = reduce(DataFrame.unionByName, earlier).withColumn("offset", F.lit(None))
        places = (
            F.col(column).cast("long")
            for column in ("rank", "stage", "spark_partition", "sequence")
        )
        return self._feed_rows(rows, stage, number, tuple(places))

    def _feed_rows(
        self, rows: DataFrame, stage: Stage, number: int, places: tuple[Any, ...]
    ) -> DataFrame:
        target = F.lit(0) if stage.is_cycle else F.col("partition")
        return rows.select(
            target.cast("int").alias("target"),
            F.lit(number).alias("input"),
            "partition",
            *(place.alias(name) for place, name in zip(places, _ORDER, strict=True)),
            F.col("offset").cast("long").alias("offset"),
            "timestamp",
            "key",
            "value",
            headers_of(F.col("headers")).alias("headers"),
        )

    def _first_rows(self, partitions: int) -> DataFrame:
        session = next(iter(self._inputs.values())).sparkSession
        rows = session.range(0, partitions, numPartitions=1)
        number, nothing = F.col("id").cast("int"), F.lit(None)
        return rows.select(
            number.alias("target"),
            F.lit(FIRST_ROW).alias("input"),
            number.alias("partition"),
            *(F.lit(0).cast("long").alias(name) for name in _ORDER),
            nothing.cast("long").alias("offset"),
            nothing.cast("long").alias("timestamp"),
            nothing.cast("binary").alias("key"),
            nothing.cast("binary").alias("value"),
            headers_of(None).alias("headers"),
        )

    def _global_feeds(self, partitions: int) -> list[DataFrame]:
        """Return the rows of the global tables, once for each Spark partition."""
        plan = self.plan.global_stores
        feeds = []
        for number, topic in enumerate([] if plan is None else plan.source_topics()):
            rows = self._inputs[topic]
            has_offset = F.col("offset").isNotNull()
            first = F.when(has_offset, F.col("offset")).otherwise(F.col("timestamp"))
            zero = F.lit(0).cast("long")
            everywhere = F.explode(F.sequence(F.lit(0), F.lit(partitions - 1)))
            feeds.append(
                rows.select(
                    everywhere.alias("target"),
                    F.lit(-1 - number).alias("input"),
                    "partition",
                    first.alias("first"),
                    *(zero.alias(name) for name in _ORDER[1:]),
                    "offset",
                    "timestamp",
                    "key",
                    "value",
                    "headers",
                )
            )
        return feeds


def _check_shippable(plan: JobPlan) -> None:
    """Raise TopologyError, with the name of the node, for a function that cannot be pickled."""
    tasks = tuple(task for stage in plan.stages for task in stage.tasks)
    pack(Blueprint(plan.config, tasks, {}, "", frozenset(), plan.global_stores))
