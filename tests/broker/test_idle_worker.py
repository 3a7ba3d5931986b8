"""A worker that has nothing to do waits for records, however often it may commit."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from confluent_kafka import Producer

from penstock import (
    Consumed,
    EmitStrategy,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    serdes,
)
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks.inputs import Batch, InputReader
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, run_until, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]


def test_without_anything_to_commit_it_waits_as_long_as_a_poll_may(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    read = InputReader.read

    def noting(self: InputReader, wait_seconds: float, limit: int) -> Batch:
        waits.append(wait_seconds)
        return read(self, wait_seconds, limit)

    monkeypatch.setattr(InputReader, "read", noting)
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    builder.stream(kafka_topic("idle"), text).for_each(lambda key, value: None)
    often = {"commit.interval.ms": 0, "poll.ms": 30}
    blueprint = prepare(builder.build(), settings(kafka_broker, tmp_path, "idle", **often))
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        until = time.monotonic() + PATIENCE_SECONDS
        while "running" not in worker.figures.tasks().values() and time.monotonic() < until:
            worker.step()
        waits.clear()
        worker.step()
        worker.close()
    assert waits == [0.03]


def test_closed_when_all_is_committed_it_leaves_its_state_on_disk_up_to_date(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, sink, keys = kafka_topic("words"), kafka_topic("counts"), 100
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(key=serdes.string(), value=serdes.string()))
        .group_by_key()
        .count(Materialized("counts", key=serdes.string(), value=serdes.long()))
        .to_stream()
        .to(sink, Produced(serdes.string(), serdes.long()))
    )
    write(kafka_broker, source, [(f"key-{number}", "v") for number in range(keys)])
    config = settings(kafka_broker, tmp_path, f"left-{source}", **{"commit.interval.ms": 0})
    run_until(builder.build(), config, lambda outputs: len(outputs) == 2 * keys)
    (path,) = tmp_path.glob("*/0_0/rocksdb/counts")
    store = RocksDbStore(path)
    rows, offset = list(store.scan(None, None, reverse=False)), store.changelog_offset()
    store.close()
    # A start after this reads nothing of the changelog again.
    assert (len(rows), offset is not None and offset >= keys) == (keys, True)


def test_windows_close_without_records_when_the_cluster_says_that_none_are_left(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, sink, text = kafka_topic("clicks"), kafka_topic("finals"), serdes.string()
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(key=text, value=text))
        .group_by_key()
        .windowed_by(TimeWindows.of_size(100))
        .emit_strategy(EmitStrategy.on_window_close(idle_after=300))
        .count(Materialized("counts", key=text, value=serdes.long()))
        .to_stream()
        .map(lambda window, count: (window.key, f"{window.start} {count}"))
        .to(sink, Produced(key=text, value=text))
    )
    # Behind the record is the marker of its transaction, which is no record that is left.
    producer = Producer(
        {"bootstrap.servers": kafka_broker.bootstrap_servers, "transactional.id": source}
    )
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(source, "click", "ada", timestamp=5_040)
    producer.commit_transaction()
    outputs = run_until(
        builder.build(),
        settings(kafka_broker, tmp_path, f"{source}-app"),
        lambda outputs: any(topic == sink for topic, *_ in outputs),
    )
    assert [(key, value) for topic, _, key, value, *_ in outputs if topic == sink] == [
        (b"ada", b"5000 1")
    ]
