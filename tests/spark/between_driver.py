"""A program that tests/spark/test_between_killed.py kills: a topology between folders of files.

It runs until it is killed; `python -m tests.spark.between_driver <servers> <folder> <name>`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from conformance.dataframes.on_spark import session
from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock import spark as streams
from penstock._engine.spark.between.live_result import LiveResult

TEXT, LONG = serdes.string(), serdes.long()
SCHEMA = "key string, value long, timestamp long"


def summing(name: str) -> Topology:
    """Add up the values of each key, over a repartition topic; a table says which keys count."""
    builder = StreamsBuilder()
    chosen = builder.table(f"{name}-chosen", Consumed(TEXT, LONG), Materialized(f"{name}-chosen"))
    (
        builder.stream(f"{name}-numbers", Consumed(TEXT, LONG))
        .group_by(lambda key, _: key, Grouped(f"{name}-by-key", TEXT, LONG))
        .reduce(lambda total, new: total + new, Materialized(f"{name}-sums", TEXT, LONG))
        .join(chosen, lambda total, factor: total * factor)
        .to_stream()
        .to(f"{name}-out", Produced(TEXT, LONG))
    )
    return builder.build()


def running(spark: SparkSession, servers: str, folder: Path, name: str, **more: Any) -> LiveResult:
    """Start the topology, or go on with it."""
    numbers = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    inputs: dict[str, Any] = {
        f"{name}-numbers": streams.Typed(numbers.json(str(folder / "in"))),
        f"{name}-chosen": streams.Typed(chosen_keys(spark)),
    }
    config = {
        "application.id": name,
        "bootstrap.servers": servers,
        "state.dir": str(folder / "state"),
        "penstock.turn.ms": 2000,
        "commit.interval.ms": 100,
        "consumer.session.timeout.ms": 6000,
        # Every update is an output, so that what comes twice is seen.
        "statestore.cache.max.bytes": 0,
    }
    return streams.run(summing(name), inputs, config, partitions=2, folder=folder / "run", **more)


def chosen_keys(spark: SparkSession) -> DataFrame:
    """Return the table of keys, which is older than all numbers."""
    return spark.range(5).selectExpr("concat('k', id) AS key", "1L AS value", "0L AS timestamp")


def writing(result: LiveResult, folder: Path, name: str) -> Any:
    """Return what writes the output to files, each record once."""
    out = result.typed(f"{name}-out").select("key", "value", "partition", "offset")
    writer = out.writeStream.format("json").option("checkpointLocation", result.checkpoint("out"))
    return writer.option("path", str(folder / "out"))


if __name__ == "__main__":
    servers, folder, name = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    with session() as spark, running(spark, servers, folder, name) as result:
        writing(result, folder, name).start()
        result.wait()
