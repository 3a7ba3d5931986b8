"""A topology between streaming DataFrames: started and stopped together, killed and gone on with,
ended by one failure, refused where it could not keep its word.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from penstock import Consumed, Joined, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock import spark as streams
from penstock.testing.broker import LocalBroker

pytestmark = pytest.mark.slow

TEXT, LONG = serdes.string(), serdes.long()
SCHEMA = "key string, value string, timestamp long"
WAIT_SECONDS = 120


class Files:
    """A folder of JSON files that are read as a stream."""

    def __init__(self, spark: SparkSession, path: Path) -> None:
        self._spark, self._path = spark, path
        self._count = 0
        path.mkdir()

    def add(self, *rows: tuple[str, str, int]) -> None:
        """Add a file of rows: key, value, time."""
        lines = [
            json.dumps(dict(zip(("key", "value", "timestamp"), row, strict=True))) for row in rows
        ]
        hidden = self._path / f".{self._count}"
        hidden.write_text("\n".join(lines))
        hidden.rename(self._path / f"{self._count}.json")
        self._count += 1

    def frame(self) -> DataFrame:
        return self._spark.readStream.schema(SCHEMA).json(str(self._path))


def counting(name: str) -> Topology:
    """Count the orders of each customer by the name that a table has for it."""
    builder = StreamsBuilder()
    customers = builder.table(f"{name}-customers", Consumed(TEXT, TEXT))
    (
        builder.stream(f"{name}-orders", Consumed(TEXT, TEXT))
        .join(
            customers,
            lambda order, customer: f"{customer}: {order}",
            Joined(key=TEXT, value=TEXT, other_value=TEXT),
        )
        .group_by_key()
        .count(Materialized(f"{name}-counts", TEXT, LONG))
        .to_stream()
        .to(f"{name}-totals", Produced(TEXT, LONG))
    )
    return builder.build()


def settings(servers: str, path: Path, **more: Any) -> dict[str, Any]:
    return {
        "bootstrap.servers": servers,
        "state.dir": str(path / "state"),
        "penstock.turn.ms": 2000,
        "statestore.cache.max.bytes": 0,
        "consumer.session.timeout.ms": 6000,
        **more,
    }


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.2)


def collected(frame: DataFrame, checkpoint: str, spark: SparkSession, path: str) -> list[Any]:
    """Read all that an output has now."""
    query = frame.writeStream.format("json").option("checkpointLocation", checkpoint)
    ended = query.trigger(availableNow=True).start(path)
    assert ended.awaitTermination(WAIT_SECONDS), "the output did not end"
    return spark.read.schema(frame.schema).json(path).collect()


def test_what_is_there_is_processed_and_a_second_run_goes_on(
    spark: SparkSession, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    servers, name = kafka_broker.bootstrap_servers, "between-now"
    orders = Files(spark, tmp_path / "orders")
    orders.add(("a", "tea", 2000), ("b", "tea", 2001))
    orders.add(("a", "cake", 2002), ("stranger", "tea", 2003))
    customers = spark.createDataFrame([("a", "ada", 1000), ("b", "bob", 1000)], SCHEMA)
    inputs = {f"{name}-orders": orders.frame(), f"{name}-customers": customers}

    def run() -> list[tuple[str, int]]:
        with streams.run(
            counting(name),
            inputs,
            settings(servers, tmp_path),
            partitions=2,
            folder=tmp_path / "run",
            available_now=True,
        ) as result:
            assert list(result) == [f"{name}-totals"]
            totals = result.typed(f"{name}-totals")
            assert totals.isStreaming
            assert totals.columns == ["key", "value", "timestamp", "headers", "partition", "offset"]
            out = str(tmp_path / "out")
            rows = collected(totals, result.checkpoint("totals"), spark, out)
            counts = result.store(f"{name}-counts").collect()
            assert {row.key: row.value for row in counts} == {
                key: max(row.value for row in rows if row.key == key) for key in ("a", "b")
            }
            return sorted((row.key, row.value) for row in rows)

    assert run() == [("a", 1), ("a", 2), ("b", 1)]
    orders.add(("b", "pie", 2004))
    assert run() == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
