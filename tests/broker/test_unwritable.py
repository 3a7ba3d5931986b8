"""Records that the broker does not take: the application fails, and says which topic and why."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from confluent_kafka import Producer

from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.preparation import prepare
from penstock._engine.kafka.task_host import TaskHost
from penstock._engine.kafka.worker import Worker
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = pytest.mark.slow

TEXT = serdes.string()

guarantees = pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])


@guarantees
def test_an_output_topic_that_is_missing_is_named(
    guarantee: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    """It is not taken for a broker that does not answer, which would be tried again for ever."""
    with pytest.raises(StreamsError, match=r"topic 'nowhere' could not be written: .*; create the"):
        _work(kafka_broker, kafka_topic("in"), "nowhere", guarantee, tmp_path)


@guarantees
def test_a_record_that_is_too_large_is_explained(
    guarantee: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    small = kafka_topic("small", config={"max.message.bytes": "1000"})
    with pytest.raises(
        StreamsError, match=f"topic '{small}' could not be written: .*; raise 'prod"
    ):
        _work(kafka_broker, kafka_topic("in"), small, guarantee, tmp_path)


def _work(broker: LocalBroker, source: str, target: str, guarantee: str, state_dir: Path) -> None:
    """Copy a record of 2000 letters from `source` to `target`, for at most a minute."""
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0})
    producer.produce(source, "x" * 2000, "a")
    producer.flush()
    builder = StreamsBuilder()
    builder.stream(source, Consumed(TEXT, TEXT)).to(target, Produced(TEXT, TEXT))
    settings = {
        "application.id": f"unwritable-{source}",
        "bootstrap.servers": broker.bootstrap_servers,
        "processing.guarantee": guarantee,
        "commit.interval.ms": 100,
        "state.dir": str(state_dir),
    }
    blueprint = prepare(builder.build(), StreamsConfig(settings))
    with TaskHost(blueprint) as host:
        worker = Worker(blueprint, host.member_id, host, lambda outputs: None)
        until = time.monotonic() + 60
        try:
            while time.monotonic() < until:
                worker.step()
        finally:
            worker.abandon()
