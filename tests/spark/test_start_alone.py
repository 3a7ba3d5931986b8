"""`start()` of an application that names no cluster: the local broker serves until `close`."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from pyspark.sql import SparkSession

from penstock import Consumed, KafkaStreams, Produced, State, StreamsBuilder, serdes
from penstock._engine.kafka.local_broker.broker import running_broker

pytestmark = pytest.mark.slow

TEXT = serdes.string()
PATIENCE_SECONDS = 120.0


def test_start_makes_a_cluster_and_does_not_block(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    spark: SparkSession,
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    builder = StreamsBuilder()
    builder.stream("words", Consumed(key=TEXT, value=TEXT)).map_values(str.upper).to(
        "loud", Produced(key=TEXT, value=TEXT)
    )
    with KafkaStreams(builder.build(), {"application.id": "start-alone"}, spark=spark) as streams:
        streams.start()
        assert streams.wait_until_running(timedelta(seconds=PATIENCE_SECONDS))
        assert streams.bootstrap_servers == running_broker()
        producer = Producer({"bootstrap.servers": streams.bootstrap_servers})
        producer.produce("words", "hello", "k")
        producer.flush(PATIENCE_SECONDS)
        assert first_value(str(streams.bootstrap_servers), "loud") == b"HELLO"
    assert streams.state is State.NOT_RUNNING
    assert streams.bootstrap_servers is running_broker() is None
    said = capfd.readouterr().err
    assert "no bootstrap.servers given: using the local broker" in said
    assert "made the missing topics loud, words, 4 partitions each" in said


def first_value(servers: str, topic: str) -> bytes | None:
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "reads", "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([topic])
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        while (message := consumer.poll(0.2)) is None:
            assert time.monotonic() < until, f"no record in {topic!r}"
        return message.value()
    finally:
        consumer.close()
