"""The snippets of docs/backfill.md run, one after the other, on a broker and on Spark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from penstock import Consumed, Materialized, StreamsBuilder, serdes
from penstock.testing.broker import LocalBroker

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parent.parent.parent / "docs" / "backfill.md"


def test_the_snippets_of_the_page_run(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    kafka_broker.create_topic("orders", 1)
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for amount in ("5", "7", "11"):
        producer.produce("orders", amount, "ada")
    producer.flush()
    builder, text = StreamsBuilder(), serdes.string()
    orders = builder.stream("orders", Consumed(text, text)).group_by_key()
    orders.count(Materialized("totals", text, serdes.long()))

    # Not where the test is: Spark writes relative to where its JVM was started.
    names = {
        "servers": kafka_broker.bootstrap_servers,
        "topology": builder.build(),
        "folder": tmp_path,
    }
    snippets = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, str(PAGE), "exec"), names)
