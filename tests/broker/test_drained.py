"""When a bounded run has nothing left: not before the broker shows everybody what is there."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._clock import SystemClock
from penstock._engine.kafka.application.preparation import bounded, prepare
from penstock._engine.kafka.client.topic_io import TopicReader
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
now = SystemClock().now_ms


def counting(lines: str) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream(lines, Consumed(key=TEXT, value=TEXT))
        .group_by(lambda key, word: word, Grouped("words", key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=serdes.long()))
    )
    return builder.build()


def step_until_drained(worker: Worker) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not worker.figures.drained():
        assert time.monotonic() < until
        worker.step()


def test_a_transaction_whose_records_cannot_be_seen_yet_is_waited_for(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines = kafka_topic("lines")
    write(kafka_broker, lines, [("1", "a"), ("2", "b")])
    config = settings(kafka_broker, tmp_path, f"drained-{lines}")
    blueprint = bounded(prepare(counting(lines), config))
    # Another worker of the application, say, which has the tasks before the repartition topic.
    other = Producer(
        {"bootstrap.servers": kafka_broker.bootstrap_servers, "transactional.id": f"other-{lines}"}
    )
    other.init_transactions(30)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        step_until_drained(worker)
        other.begin_transaction()
        other.produce(f"{config.application_id}-words-repartition", b"c", b"c")
        other.flush()
        assert not worker.figures.drained()
        other.commit_transaction(30)
        step_until_drained(worker)
        counted = sum(task["process-total"] for task in worker.figures.counters().values())
        worker.close()
    assert counted == 2 + 2 + 1


def test_a_source_without_an_offset_begins_so_long_ago_as_its_duration(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines, out = kafka_topic("lines", partitions=2), kafka_topic("out")
    producer, now_ms = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers}), now()
    for partition, minutes in ((0, 90), (0, 30), (0, 80), (1, 90)):
        sent_ms = now_ms - minutes * 60_000
        producer.produce(lines, str(minutes), "k", partition, timestamp=sent_ms)
    producer.flush()
    builder = StreamsBuilder()
    consumed = Consumed(TEXT, TEXT, offset_reset=timedelta(hours=1))
    builder.stream(lines, consumed).to(out, Produced(TEXT, TEXT))
    config = settings(kafka_broker, tmp_path, f"since-{lines}")
    # A bounded run ends, though nothing is ever committed of the partition of old records.
    streams = KafkaStreams(builder.build(), config, host="local")
    streams.run(available_now=True, quiet=True)
    reader, values = TopicReader(kafka_broker.bootstrap_servers, [out]), list[bytes | None]()
    while not reader.caught_up:
        values += [record.value for record in reader.read(1.0)]
    reader.close()
    assert values == [b"30", b"80"]


def test_a_bounded_run_waits_for_the_end_of_a_transaction_on_its_input(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    """The sink of an input's query has committed, say, and the marker is late."""
    lines = kafka_topic("lines")
    write(kafka_broker, lines, [("1", "a")])
    blueprint = prepare(counting(lines), settings(kafka_broker, tmp_path, f"marker-{lines}"))
    other = Producer(
        {"bootstrap.servers": kafka_broker.bootstrap_servers, "transactional.id": f"late-{lines}"}
    )
    other.init_transactions(30)
    other.begin_transaction()
    other.produce(lines, b"2", b"b", partition=0)
    other.flush()
    late = threading.Timer(1.0, other.commit_transaction, [30])
    late.start()
    ends = bounded(blueprint).ends
    late.join()
    # Behind the marker of the transaction.
    assert ends is not None
    with_marker = end_offsets(
        AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers}), ends
    )
    assert ends == with_marker


def test_a_topic_of_the_user_s_that_the_program_writes_has_no_end_yet(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    lines, between = kafka_topic("lines"), kafka_topic("between")
    write(kafka_broker, lines, [("1", "a"), ("2", "b")])
    builder = StreamsBuilder()
    builder.stream(lines, Consumed(TEXT, TEXT)).to(between, Produced(TEXT, TEXT))
    builder.stream(between, Consumed(TEXT, TEXT)).for_each(lambda key, value: None)
    config = settings(kafka_broker, tmp_path, f"drained-{lines}")
    blueprint = bounded(prepare(builder.build(), config))
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        write(kafka_broker, lines, [("3", "too late")])
        step_until_drained(worker)
        counted = sum(task["process-total"] for task in worker.figures.counters().values())
        worker.close()
    assert counted == 2 + 2
