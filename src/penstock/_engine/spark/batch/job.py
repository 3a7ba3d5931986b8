"""A bounded run as DataFrames: each stage reads its inputs and what earlier stages have written.

Python workers sort rows into runs, Spark shuffles the runs to the Spark partition of their task,
where they are merged: the JVM sees rows only where the user gives and takes them. What a stage
writes is persisted on disk: sinks, stores and later stages all read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.stages import JobPlan, Stage
from penstock._engine.spark.batch.arrow_map import is_connect, map_in_arrow
from penstock._engine.spark.batch.inputs import normalized
from penstock._engine.spark.batch.schemas import (
    CHANGELOG,
    CHANGELOGS,
    FEED_COLUMNS,
    FIRST_ROW,
    POSITION,
    POSITIONS,
    RECORD,
    RECORDS,
    RUNS,
    STORE,
    STORE_ROWS,
    TOPIC_RECORDS,
    WRITTEN,
)
from penstock._engine.spark.batch.tasks.deliveries import DeliveryPack
from penstock._engine.spark.batch.tasks.input_runs import make_runs
from penstock._engine.spark.batch.tasks.shown_rows import (
    SENDERS_OF_A_STAGE,
    Show,
    show_records,
    show_rows,
    show_topic,
)
from penstock._engine.spark.batch.tasks.stage import StagePack, run_stage
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock._engine.spark.shipping.shipping import dumps, pack


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
            topic: _runs_of(topic, frame, plan.partition_count(topic))
            for topic, frame in inputs.items()
        }
        """The runs of each input."""
        _check_shippable(plan)
        first = next(iter(self._inputs.values()))
        self.records_processed = (
            None if is_connect(first) else first.sparkSession.sparkContext.accumulator(0)
        )
        """How many records tasks have processed; a task that Spark runs again counts again. None
        over Spark Connect, which has no accumulators.
        """
        self.stages: list[DataFrame] = []
        """What each stage writes: runs of all kinds of rows."""
        for stage in plan.stages:
            self.stages.append(self._build(stage))

    def records(self, topic: str | None = None) -> DataFrame:
        """Return the records of a topic: key, value, timestamp, headers, partition, offset; or of
        all sink topics, with a column `topic` before. By partition and offset they are in the order
        in which a topic would have them.
        """
        written = self._of_kind(RECORD, topic)
        hidden = sorted(self.plan.hidden_topics)
        if topic is None and hidden:
            written = written.where(~F.col("name").isin(hidden))
        counts = [self.plan.default_partitions, *self.plan.partition_counts.values()]
        width = max(counts) if topic is None else self.plan.partition_count(topic)
        runs = written.select("name", "partition", _sender(), "number", "run")
        # A record may name any partition.
        target = F.pmod(F.col("partition"), F.lit(width))
        placed = runs.repartitionById(width, target)
        if topic is None:
            return map_in_arrow(placed, show_records, RECORDS, "records")
        return map_in_arrow(placed, show_topic, TOPIC_RECORDS, "records")

    def store_rows(self, store: str) -> DataFrame:
        """Return the rows of a store: store, partition, key, value, timestamp, start, end."""
        columns = ("key", "value", "timestamp", "start", "end")
        rows = self._of_kind(STORE, store)
        return _shown(rows, show_rows(columns, "store"), STORE_ROWS)

    def changelogs(self) -> DataFrame:
        """Return the changelog records, in the order of `sequence` for each partition of a topic:
        topic, partition, sequence, key, value, timestamp, headers. None unless `keeps_changelogs`.
        """
        columns = ("key", "value", "timestamp", "headers")
        return _shown(self._of_kind(CHANGELOG), show_rows(columns, "topic", "sequence"), CHANGELOGS)

    def positions(self) -> DataFrame:
        """Return how far each partition of an input was read: topic, partition, next_offset,
        metadata (what a live application commits beside the offset), partition_time.
        """
        columns = ("next_offset", "metadata", "partition_time")
        rows = _shown(self._of_kind(POSITION), show_rows(columns, "topic"), POSITIONS)
        return rows.withColumn("metadata", F.col("metadata").cast("string"))

    def unpersist(self) -> None:
        """Delete what was computed; reading rows computes it again."""
        for frame in self.stages:
            frame.unpersist()

    def _of_kind(self, kind: int, name: str | None = None) -> DataFrame:
        wanted = F.col("kind") == kind
        if name is not None:
            wanted &= F.col("name") == name
        rows = [
            frame.where(wanted).withColumn("stage", F.lit(number))
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
        placed = feed.repartitionById(partitions, F.col("target"))
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
            placed.select(*FEED_COLUMNS),
            run_stage(packed, self.records_processed),
            WRITTEN,
            name,
        )
        return written.persist(StorageLevel.DISK_ONLY)

    def _topic_feed(self, stage: Stage, number: int, topic: str) -> DataFrame | None:
        """Return the runs of a topic for a stage; None if only its own tasks write the topic."""
        target = F.lit(0) if stage.is_cycle else F.col("partition")
        if topic in self._inputs:
            return _fed(self._inputs[topic], target, number)
        earlier = [
            self.stages[other.number]
            .where((F.col("kind") == RECORD) & (F.col("name") == topic))
            .withColumn("stage", F.lit(other.number))
            for other in self.plan.stages[: stage.number]
            if any(topic in plan.sink_topics() for plan in other.plans)
        ]
        if not earlier:
            return None
        return reduce(DataFrame.unionByName, earlier).select(
            target.alias("target"),
            F.lit(number).alias("input"),
            "partition",
            _sender(),
            "number",
            "run",
        )

    def _first_rows(self, partitions: int) -> DataFrame:
        session = next(iter(self._inputs.values())).sparkSession
        rows = session.range(0, partitions, numPartitions=1)
        number = F.col("id").cast("int")
        return _fed(
            rows.select(
                number.alias("partition"),
                F.lit(-1).cast("long").alias("sender"),
                F.lit(0).cast("long").alias("number"),
                F.lit(None).cast("binary").alias("run"),
            ),
            F.col("partition"),
            FIRST_ROW,
        )

    def _global_feeds(self, partitions: int) -> list[DataFrame]:
        """Return the runs of the global tables, once for each Spark partition."""
        plan = self.plan.global_stores
        everywhere = F.explode(F.sequence(F.lit(0), F.lit(partitions - 1)))
        topics = [] if plan is None else plan.source_topics()
        return [
            _fed(self._inputs[topic], everywhere, -1 - number)
            for number, topic in enumerate(topics)
        ]


def _runs_of(topic: str, frame: DataFrame, partitions: int) -> DataFrame:
    return map_in_arrow(
        normalized(topic, frame, partitions), make_runs(partitions), RUNS, f"sort_{topic}"
    )


def _fed(runs: DataFrame, target: Column, number: int) -> DataFrame:
    """Return runs of an input as rows of a feed."""
    return runs.select(
        target.alias("target"),
        F.lit(number).alias("input"),
        "partition",
        "sender",
        "number",
        "run",
    )


def _sender() -> Column:
    """Return the number of the Spark task that has written a run, in the order of its stage."""
    stage = F.col("stage").cast("long") * F.lit(SENDERS_OF_A_STAGE)
    return (stage + F.col("spark_partition")).alias("sender")


def _shown(rows: DataFrame, show: Show, schema: str) -> DataFrame:
    return map_in_arrow(rows.select("name", "partition", "number", "run"), show, schema, "rows")


def _check_shippable(plan: JobPlan) -> None:
    """Raise TopologyError, with the name of the node, for a function that cannot be pickled."""
    tasks = tuple(task for stage in plan.stages for task in stage.tasks)
    pack(Blueprint(plan.config, tasks, {}, "", frozenset(), plan.global_stores))
