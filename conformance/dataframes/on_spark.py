"""A program's job on Spark, and what an onlooker sees of it: every record, every row of a store."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from conformance.dataframes.comparison import planned
from conformance.dataframes.feeding import Inputs
from conformance.dataframes.reference import Outcome, StoredRows
from conformance.dataframes.without_spark import outcome_of
from penstock import Topology
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SCHEMA = (
    "partition int, offset long, timestamp long, key binary, value binary, "
    "headers array<struct<key:string,value:binary>>"
)


@contextmanager
def session(*, long: bool = False, cores: int = 2) -> Iterator[SparkSession]:
    """Yield a session for small jobs, one after the other; failed tasks are tried again. With a
    `long` row of them, Java's second compiler is worth its time.
    """
    # A comparison without Spark needs none of it.
    from pyspark.sql import SparkSession  # noqa: PLC0415

    from penstock._engine.spark.class_archive import QUICK_START, archive_option  # noqa: PLC0415

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    java_options = [archive_option()] if long else [archive_option(), QUICK_START]
    made = (
        SparkSession.builder.master(f"local[{cores},4]")
        .appName("penstock-conformance")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.adaptive.enabled", "false")
        # Data are small: each task costs more than the rows in it.
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.locality.wait", "0")
        .config("spark.driver.extraJavaOptions", " ".join(java_options))
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    try:
        yield made
    finally:
        made.stop()


def outcome_on_spark(
    spark: SparkSession,
    topology: Topology,
    config: StreamsConfig,
    inputs: Inputs,
    partitions: int,
) -> tuple[Outcome, StoredRows]:
    """Run a topology on `inputs` and give what was written and what is stored."""
    from penstock._engine.spark.batch.job import JobOptions  # noqa: PLC0415
    from penstock._engine.spark.batch.start import start  # noqa: PLC0415

    frames = {topic: frame_of(spark, records) for topic, records in inputs.items()}
    # The same for what it writes: by default these follow the tasks that write them.
    sinks = planned(topology, config, inputs, partitions).sinks
    counts = dict.fromkeys([*inputs, *sinks], partitions)
    # As the driver does it: a commit after each record, and a clock that stands at 0.
    options = JobOptions(0, records_per_commit=1, keeps_changelogs=True)
    job = start(topology, frames, config, counts, options)
    try:
        written = [[row.asDict(recursive=True) for row in frame.collect()] for frame in job.stages]
    finally:
        job.unpersist()
    return outcome_of(written)


def frame_of(spark: SparkSession, records: list[Any]) -> DataFrame:
    """Return the records of a topic as a DataFrame."""
    rows = [
        (one.partition, one.offset, one.timestamp, one.key, one.value, list(one.headers))
        for one in records
    ]
    return spark.createDataFrame(rows, _SCHEMA)
