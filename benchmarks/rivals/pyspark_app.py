"""Plain PySpark's contender: `transformWithState` with rows, state in RocksDB, Spark's own Kafka
connector; runs in an environment of its own. The first argument is the connector's jars.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType

ORDER = "id long, user string, product string, cents long, quantity int, at long"
RESULT = StructType([StructField("key", StringType()), StructField("value", BinaryType())])


class Count(StatefulProcessor):
    """Count by key."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._count = handle.getValueState("count", StructType([StructField("n", LongType())]))

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: ARG002
        number = (self._count.get()[0] if self._count.exists() else 0) + sum(1 for _ in rows)
        self._count.update((number,))
        yield Row(key=key[0], value=bytearray(number.to_bytes(8, "big")))


def session(jars: str, state_dir: str) -> SparkSession:
    """Start Spark on two cores, tuned for small batches."""
    store = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", jars)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.streaming.stateStore.providerClass", store)
        .config("spark.sql.warehouse.dir", f"{state_dir}/warehouse")
        .getOrCreate()
    )


def main(arguments: list[str]) -> None:
    """Run a workload until killed."""
    jars, topology, bootstrap, _, _, state_dir, target, source = arguments[:8]
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = session(jars, state_dir)
    raw = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        # A bounded batch, or the first one would be the whole topic.
        .option("maxOffsetsPerTrigger", 100_000)
        .load()
    )
    orders = raw.select(F.from_json(F.col("value").cast("string"), ORDER).alias("o")).select("o.*")
    if topology == "filter-map":
        total = (F.col("cents") * F.col("quantity")).alias("total")
        results = orders.where("quantity > 1").select(
            F.col("user").alias("key"), F.to_json(F.struct("id", "user", total)).alias("value")
        )
    else:
        results = orders.groupBy("user").transformWithState(
            Count(), outputStructType=RESULT, outputMode="update", timeMode="none"
        )
    query = (
        results.writeStream.format("kafka")
        .outputMode("append" if topology == "filter-map" else "update")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("topic", target)
        .option("checkpointLocation", f"{state_dir}/checkpoint")
        .start()
    )
    query.awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1:])
