"""`python -m tests.spark.on_connect`: a bounded run and a refusal over Spark Connect.

Not part of the suite: a client of Connect needs gRPC and pandas (`pip install 'pyspark[connect]'`),
which nothing else here does.
"""

from __future__ import annotations

import os
import sys

import pytest
from pyspark.sql import SparkSession

from penstock import (
    ConfigError,
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    serdes,
)
from penstock import spark as penstock_spark
from penstock._engine.spark.batch.progress import Progress

TEXT, LONG = serdes.string(), serdes.long()


def main() -> None:
    """Run both; an assertion fails if something is not so."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    assert type(spark).__module__ == "pyspark.sql.connect.session"
    builder = StreamsBuilder()
    (
        builder.stream("in", Consumed(TEXT, TEXT))
        .group_by(lambda key, word: word, Grouped("by-word", key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to("out", Produced(TEXT, LONG))
    )
    topology = builder.build()
    rows = [(b"k", f"w{number % 3}".encode(), number) for number in range(30)]
    frame = spark.createDataFrame(rows, "key binary, value binary, timestamp long")
    result = penstock_spark.run(topology, {"in": frame}, partitions=2)
    progress: list[Progress] = []
    result.compute(progress.append)
    assert [each.records for each in progress] == [None, None]
    counts = sorted((row.key, row.value) for row in result.typed("out").collect())
    assert counts == sorted((f"w{word}", count) for word in range(3) for count in range(1, 11))
    settings = {"application.id": "c", "bootstrap.servers": "x:1"}
    with pytest.raises(ConfigError, match="which Connect does not show"):
        KafkaStreams(topology, settings, spark=spark).start()
    spark.stop()
    print("a bounded run and a refusal over Spark Connect: as expected")


if __name__ == "__main__":
    main()
