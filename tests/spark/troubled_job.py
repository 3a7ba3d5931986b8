"""A bounded run under which Spark has trouble: `python troubled_job.py FOLDER`.

Two executors, copies of tasks that take long (speculation), and workers that die: the first that
processes a record of a partition does so. It prints every row of every output and store as JSON.
What the program is, and the rows it must give, others import from here.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from penstock import (
    Consumed,
    Grouped,
    JoinWindows,
    Materialized,
    Produced,
    SessionWindows,
    StreamJoined,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock.spark import run
from tests.spark.two_executors import session

TEXT, LONG = serdes.string(), serdes.long()
PARTITIONS = 4
RECORDS = [(f"user-{n * 7 % 23}", f"page-{n * 11 % 13}", 1_000 + n * 37) for n in range(600)]
TOPICS = ("visits", "pairs")
STORES = ("by-page", "sessions")
# Tasks are tried again, and run twice at once as soon as one is slower than others.
TROUBLE = {
    "spark.task.maxFailures": "10",
    "spark.speculation": "true",
    "spark.speculation.interval": "10ms",
    "spark.speculation.multiplier": "1.01",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.minTaskRuntime": "10ms",
}


def topology(folder: str | None) -> Topology:
    """Count pages behind a shuffle, sessions and pairs of visits without; in a `folder`, make
    trouble.
    """
    builder = StreamsBuilder()
    pages = builder.stream("pages", Consumed(TEXT, TEXT)).map_values(_troubled(folder))
    by_page = pages.group_by(lambda _, page: page, Grouped("page", TEXT, TEXT))
    by_page.count(Materialized("by-page", TEXT)).to_stream().to("visits", Produced(TEXT, LONG))
    sessions = SessionWindows.of_inactivity_gap(timedelta(milliseconds=500))
    by_user = pages.group_by_key(Grouped("user", TEXT, TEXT)).windowed_by(sessions)
    by_user.count(Materialized("sessions", TEXT, retention=timedelta(days=1)))
    others = builder.stream("others", Consumed(TEXT, TEXT))
    windows = JoinWindows.of_time_difference(timedelta(milliseconds=100))
    joined = StreamJoined(key=TEXT, value=TEXT, other_value=TEXT)
    pairs = pages.join(others, lambda left, right: f"{left} {right}", windows, joined)
    pairs.to("pairs", Produced(TEXT, TEXT))
    return builder.build()


def _troubled(folder: str | None) -> Any:
    def give(value: str) -> str:
        if folder is not None:
            try:
                # The first process makes the file, and dies of it.
                Path(folder, f"died-of-{value}").touch(exist_ok=False)
            except FileExistsError:
                # Slow enough for Spark to start a copy of some task.
                time.sleep(0.002)
            else:
                if value in {"page-3", "page-8"}:
                    os._exit(1)
        return value

    return give


def rows(spark: SparkSession, folder: str | None = None) -> dict[str, list[Any]]:
    """Run it; give all rows of all outputs and stores, each in its place."""
    schema = "key string, value string, timestamp long"
    frame = spark.createDataFrame(RECORDS, schema)
    others = spark.createDataFrame(RECORDS[::3], schema)
    inputs = {"pages": frame, "others": others}
    result = run(topology(folder), inputs, partitions=PARTITIONS)
    found = {topic: result[topic].orderBy("partition", "offset").collect() for topic in TOPICS}
    found |= {
        name: result.store(name).orderBy("partition", "key", "timestamp").collect()
        for name in STORES
    }
    result.unpersist()
    return {name: [list(map(str, row)) for row in each] for name, each in found.items()}


if __name__ == "__main__":
    spark = session(TROUBLE)
    print(json.dumps(rows(spark, sys.argv[1])), flush=True)
    spark.stop()
