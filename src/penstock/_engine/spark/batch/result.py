"""What a bounded run gives: its sink topics and its stores, as DataFrames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from penstock._engine.spark.batch.job import Job
from penstock.errors import StreamsError


class Result(Mapping[str, DataFrame]):
    """The outputs of a bounded run by topic; nothing is computed before rows are asked for.

    What was computed is kept on the executors' disks, so that several outputs do not compute it
    again; `unpersist` lets go of it.
    """

    def __init__(self, job: Job) -> None:
        self._job = job

    def __getitem__(self, topic: str) -> DataFrame:
        """Give the records of a sink topic: key, value, timestamp, headers, partition, offset."""
        plan = self._job.plan
        if topic in plan.hidden_topics or (topic not in plan.sinks and not plan.has_routed_sinks):
            known = ", ".join(map(repr, plan.sinks)) or "none"
            msg = f"the topology does not write to topic {topic!r}; its sink topics: {known}"
            raise KeyError(msg)
        return self.records().where(F.col("topic") == topic).drop("topic")

    def __iter__(self) -> Iterator[str]:
        return iter(self._job.plan.sinks)

    def __len__(self) -> int:
        return len(self._job.plan.sinks)

    def records(self) -> DataFrame:
        """Give the records of all sink topics, with the topic beside each, also of those whose
        names only records tell.
        """
        hidden = sorted(self._job.plan.hidden_topics)
        return (
            self._job.records()
            .where(~F.col("topic").isin(hidden) if hidden else F.lit(True))
            .select(
                "topic",
                "key",
                "value",
                F.timestamp_millis("timestamp").alias("timestamp"),
                "headers",
                "partition",
                "offset",
            )
        )

    def store(self, name: str) -> DataFrame:
        """Give what a store holds at the end."""
        stores = self._stores()
        if name not in stores:
            known = ", ".join(map(repr, sorted(stores))) or "none"
            msg = f"the topology has no store {name!r}; its stores: {known}"
            raise StreamsError(msg)
        return self._job.store_rows().where(F.col("store") == name).drop("store")

    def unpersist(self) -> None:
        """Let go of what was computed."""
        self._job.unpersist()

    def _stores(self) -> dict[str, object]:
        plan = self._job.plan
        stores: dict[str, object] = {}
        for stage in plan.stages:
            for one in stage.plans:
                stores.update(one.stores)
        if plan.global_stores is not None:
            stores.update(plan.global_stores.stores)
        return stores
