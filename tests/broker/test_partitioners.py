"""Partitioners of output topics: they are told how many partitions there are, and obeyed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer

from penstock import Consumed, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = pytest.mark.slow

TEXT = serdes.string()


def topology(source: str, target: str) -> Topology:
    """Write all records to the last partition of a topic that is known by name only."""
    builder = StreamsBuilder()
    builder.stream(source, Consumed(TEXT, TEXT)).to(
        lambda key, value, context: target,
        Produced(TEXT, TEXT, partitioner=lambda topic, key, value, partitions: partitions - 1),
    )
    return builder.build()


def test_a_partitioner_is_told_how_many_partitions_an_output_topic_has(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, target = kafka_topic("in"), kafka_topic("out", partitions=3)
    config = _config(kafka_broker, tmp_path, f"partitioner-{source}")
    _write(kafka_broker, source)
    blueprint = prepare(topology(source, target), config)
    consumer = Consumer(
        {
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "group.id": f"reads-{target}",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([target])
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        until, message = time.monotonic() + 60, None
        while message is None and time.monotonic() < until:
            worker.step()
            message = consumer.poll(0)
        worker.close()
    consumer.close()
    assert message is not None
    assert (message.error(), message.partition(), message.value()) == (None, 2, b"x")


def _work(worker: Worker, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        worker.step()


def _config(broker: LocalBroker, state_dir: Path, application_id: str) -> StreamsConfig:
    return StreamsConfig(
        {
            "application.id": application_id,
            "bootstrap.servers": broker.bootstrap_servers,
            "state.dir": str(state_dir),
        }
    )


def _write(broker: LocalBroker, topic: str) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    producer.produce(topic, "x", "a")
    producer.flush()
