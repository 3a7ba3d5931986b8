"""A topic's past as a DataFrame: all of it, in as many parts as wanted, and where it ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from penstock import spark as streams
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = pytest.mark.slow

PER_PARTITION = 1000


@pytest.fixture
def topic(kafka_broker: LocalBroker, kafka_topic: CreateTopic) -> str:
    """Return a topic of two partitions, with headers, a null key and a null value in it."""
    name = kafka_topic("past", partitions=2, config={"retention.ms": "-1"})
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for number in range(PER_PARTITION):
        pairs: Any = [("n", str(number).encode()), ("empty", None)]
        headers = pairs if number == 5 else None
        for partition in (0, 1):
            producer.produce(
                name,
                None if number == 7 else f"v{number}",
                None if number == 6 else "k",
                partition,
                timestamp=1000 + number,
                headers=headers,
            )
    producer.flush()
    return name


@pytest.fixture
def config(kafka_broker: LocalBroker, tmp_path: Path) -> dict[str, str]:
    return {"bootstrap.servers": kafka_broker.bootstrap_servers, "state.dir": str(tmp_path)}


def test_all_records_are_there_in_parts_of_a_partition(
    topic: str, config: dict[str, str], spark: SparkSession
) -> None:
    frame = streams.history(topic, config, spark=spark, records_per_split=300)

    assert frame.rdd.getNumPartitions() == 8
    rows = frame.orderBy("partition", "offset").collect()
    assert [(row["partition"], row["offset"], row["timestamp"]) for row in rows] == [
        (partition, number, 1000 + number)
        for partition in (0, 1)
        for number in range(PER_PARTITION)
    ]
    assert bytes(rows[4]["value"]) == b"v4"
    assert [(header["key"], header["value"]) for header in rows[5]["headers"]] == [
        ("n", b"5"),
        ("empty", None),
    ]
    assert rows[4]["headers"] == []
    assert rows[6]["key"] is None
    assert rows[7]["value"] is None


def test_where_it_ended_stays_known(
    topic: str, config: dict[str, str], spark: SparkSession, tmp_path: Path
) -> None:
    frame = streams.history(topic, config, spark=spark, until=1500)
    assert streams.history_ends(frame) == {0: 500, 1: 500}
    assert frame.count() == 1000

    frame.where("partition = 0").select("value", "offset").write.parquet(str(tmp_path / "kept"))
    again = spark.read.parquet(str(tmp_path / "kept"))
    assert streams.history_ends(again) == {0: 500, 1: 500}


def test_a_dataframe_of_something_else_knows_no_end(spark: SparkSession) -> None:
    assert streams.history_ends(spark.range(3).withColumnRenamed("id", "offset")) is None


def test_a_topic_without_records_has_no_rows(
    kafka_topic: CreateTopic, config: dict[str, str], spark: SparkSession
) -> None:
    frame = streams.history(kafka_topic("empty"), config, spark=spark)

    assert frame.count() == 0
    assert streams.history_ends(frame) == {0: 0}


def test_variables_count_if_no_settings_are_given(
    kafka_topic: CreateTopic,
    config: dict[str, str],
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic = kafka_topic("empty")
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", config["bootstrap.servers"])
    assert streams.history_ends(streams.history(topic, spark=spark)) == {0: 0}

    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", "not a cluster")
    assert streams.history_ends(streams.history(topic, config, spark=spark)) == {0: 0}
