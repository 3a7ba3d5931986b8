"""The functions of docs/spark/sharing-a-session.md start applications that copy records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from penstock import KafkaStreams
from penstock.testing.broker import LocalBroker
from tests.docs.blocks import DOCS, blocks_of
from tests.spark.standalone import wait_for

pytestmark = pytest.mark.slow

PAGE = DOCS / "spark" / "sharing-a-session.md"


def test_the_functions_of_the_page_work(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    for topic in ("guest-orders", "guest-copies"):
        kafka_broker.create_topic(topic, 1)
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    producer.produce("guest-orders", "tea", "ada")
    producer.flush()
    names: dict[str, Any] = {}
    for block in blocks_of(PAGE, "python"):
        exec(compile(block.text, str(PAGE), "exec"), names)
    names["config"] |= {
        "bootstrap.servers": kafka_broker.bootstrap_servers,
        "state.dir": str(tmp_path),
        "penstock.turn.ms": 1000,
    }
    beside: KafkaStreams = names["start_beside"](spark)
    with beside:
        assert beside.wait_until_running(120_000)
    watched: KafkaStreams = names["watch"](spark)
    with watched:
        assert watched.wait_until_running(120_000)
        wait_for("a row", lambda: names["rows"](spark).count() > 0, str)
    assert [tuple(row) for row in names["rows"](spark).collect()] == [
        ("guest-copies", "ada", "tea")
    ]
