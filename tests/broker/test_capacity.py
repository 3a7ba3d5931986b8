"""The formulas of state size against the state of real runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import Producer

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.capacity import table_state, window_state
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import run_until, settings

pytestmark = pytest.mark.slow

TEXT, NUMBER = serdes.string(), serdes.long()
KEYS, MINUTES, MINUTE_MS = 50, 45, 60_000
BEGIN_MS = 1_700_000_000_000 // MINUTE_MS * MINUTE_MS
KEY_BYTES, VALUE_BYTES = 9, 8
RETENTION_MS = 20 * MINUTE_MS
TOLERANCE = 0.3


def write_minutes(broker: LocalBroker, topic: str) -> None:
    """Write each key twice a minute: what is kept must not depend on how many records there are."""
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for minute in range(MINUTES):
        for key in range(KEYS):
            for second in (1, 31):
                timestamp = BEGIN_MS + minute * MINUTE_MS + second * 1000
                producer.produce(topic, "v", f"key-{key:05}", timestamp=timestamp)
    producer.flush()


def kept(folder: Path) -> tuple[int, int]:
    """Return how many rows the one store under a state directory has, and how many bytes."""
    (path,) = folder.glob("*/0_0/rocksdb/*")
    store = RocksDbStore(path)
    try:
        sizes = [len(key) + len(value) for key, value in store.scan(None, None, reverse=False)]
    finally:
        store.close()
    return len(sizes), sum(sizes)


def run(topology: Topology, broker: LocalBroker, folder: Path, name: str) -> tuple[int, int]:
    updates = 2 * KEYS * MINUTES * 2  # each in the changelog and in the topic
    run_until(topology, settings(broker, folder, name), lambda outputs: len(outputs) == updates)
    return kept(folder)


def test_windows(kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path) -> None:
    source, sink = kafka_topic("views", config={"retention.ms": "-1"}), kafka_topic("counts")
    write_minutes(kafka_broker, source)
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .windowed_by(TimeWindows.of_size(MINUTE_MS, grace=0))
        .count(Materialized("counts", key=TEXT, value=NUMBER, retention=RETENTION_MS))
        .to_stream()
        .to(sink, Produced(serdes.time_windowed(TEXT, MINUTE_MS), NUMBER))
    )
    rows, size = run(builder.build(), kafka_broker, tmp_path, f"windows-{source}")
    estimate = window_state(
        keys=KEYS,
        key_bytes=KEY_BYTES,
        value_bytes=VALUE_BYTES,
        window_size_ms=MINUTE_MS,
        retention_ms=RETENTION_MS,
    )
    assert rows == pytest.approx(estimate.rows, rel=TOLERANCE)
    assert size == pytest.approx(estimate.bytes, rel=TOLERANCE)
    assert size <= estimate.bytes_at_most


def test_tables(kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path) -> None:
    source, sink = kafka_topic("views", config={"retention.ms": "-1"}), kafka_topic("counts")
    write_minutes(kafka_broker, source)
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=NUMBER))
        .to_stream()
        .to(sink, Produced(TEXT, NUMBER))
    )
    found = run(builder.build(), kafka_broker, tmp_path, f"tables-{source}")
    estimate = table_state(keys=KEYS, key_bytes=KEY_BYTES, value_bytes=VALUE_BYTES)
    assert found == (estimate.rows, estimate.bytes)
