"""Restoring from a real changelog: not before the old owner's transaction is decided."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.broker import LocalBroker
from penstock._engine.kafka.clients import consumer_settings
from penstock._engine.kafka.restore import Change, RestoreJob, Restorer
from penstock._engine.kafka.topics import end_offsets
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]


def restorer(broker: LocalBroker) -> Restorer:
    config = StreamsConfig(
        {
            "application.id": "restore",
            "bootstrap.servers": broker.bootstrap_servers,
            "processing.guarantee": "exactly_once_v2",
        }
    )
    return Restorer(consumer_settings(config, "restore"))


def work(restorer: Restorer, done: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        restorer.work(0.2)


@pytest.mark.parametrize("outcome", ["commit", "abort"])
def test_it_waits_for_an_open_transaction_and_then_knows_its_outcome(
    outcome: str, kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic(f"changelog-{outcome}")
    producer = Producer(
        {
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "transactional.id": topic,
        }
    )
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(topic, b"1", b"a", timestamp=5)
    producer.commit_transaction()
    producer.begin_transaction()
    producer.produce(topic, b"2", b"a", timestamp=6)
    producer.flush()

    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    ends = end_offsets(admin, [(topic, 0)], "read_uncommitted")
    state: dict[bytes, bytes | None] = {}

    def apply(changes: list[Change], _offset: int) -> None:
        state.update({key: value for key, value, _ in changes})

    job = RestoreJob((topic, 0), None, ends[topic, 0], apply)
    restoring = restorer(kafka_broker)
    restoring.begin([job])
    work(restoring, lambda: job.done, seconds=3)
    assert not job.done
    assert state == {b"a": b"1"}

    if outcome == "commit":
        producer.commit_transaction()
    else:
        producer.abort_transaction()
    work(restoring, lambda: job.done, seconds=30)
    assert job.done
    assert state == {b"a": b"2" if outcome == "commit" else b"1"}
    assert restoring.remaining() == 0
    restoring.close()


def test_state_that_is_newer_than_its_changelog_is_refused(kafka_broker: LocalBroker) -> None:
    restoring = restorer(kafka_broker)
    job = RestoreJob(("lost", 0), 12, 3, lambda changes, offset: None)
    with pytest.raises(StreamsError, match=r"is at offset 12.*ends at 3.*nothing was"):
        restoring.begin([job])
    restoring.close()
