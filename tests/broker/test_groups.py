"""An application's group on a real broker: members, offsets, and its end."""

from __future__ import annotations

import threading

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.groups import (
    commit_offsets,
    committed_offsets,
    delete_group,
    members_of,
    stable_offsets,
)
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = pytest.mark.slow


def _application(broker: LocalBroker, name: str) -> StreamsConfig:
    servers = broker.bootstrap_servers
    return StreamsConfig({"application.id": name, "bootstrap.servers": servers})


def test_a_group_that_is_not_there_has_nothing_and_is_deleted_already(
    kafka_broker: LocalBroker,
) -> None:
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})

    delete_group(admin, "no-such-group")

    assert members_of(admin, "no-such-group") == ()
    assert committed_offsets(_application(kafka_broker, "no-such-group")) == {}


def test_a_group_has_members_and_offsets_until_it_is_deleted(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic, servers = kafka_topic(partitions=2), kafka_broker.bootstrap_servers
    admin = AdminClient({"bootstrap.servers": servers})
    settings = {"bootstrap.servers": servers, "group.id": f"readers-of-{topic}"}
    group = settings["group.id"]
    consumer = Consumer({**settings, "client.id": "reader"})
    consumer.subscribe([topic])
    while not consumer.assignment():
        consumer.poll(0.1)
    consumer.commit(offsets=[TopicPartition(topic, 1, 0)], asynchronous=False)

    assert [member.id for member in members_of(admin, group)] == ["reader"]
    config = _application(kafka_broker, group)
    assert committed_offsets(config) == {(topic, 1): 0}
    assert committed_offsets(config, [(topic, 0)]) == {}
    with pytest.raises(StreamsError, match=r"deleting the committed offsets of .* is refused"):
        delete_group(admin, group)

    consumer.close()
    delete_group(admin, group)
    assert committed_offsets(config) == {}


def test_the_offsets_of_a_transaction_that_is_being_committed_are_waited_for(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic, servers = kafka_topic(), kafka_broker.bootstrap_servers
    admin, group = AdminClient({"bootstrap.servers": servers}), f"writer-of-{topic}"
    config = _application(kafka_broker, group)
    assert stable_offsets(config) == {}
    commit_offsets(admin, group, [TopicPartition(topic, 0, 3, metadata="noted")])
    assert stable_offsets(config) == {(topic, 0): (3, "noted")}
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    producer = Producer({"bootstrap.servers": servers, "transactional.id": group})
    producer.init_transactions(30)
    producer.begin_transaction()
    place = TopicPartition(topic, 0, 7)
    producer.send_offsets_to_transaction([place], consumer.consumer_group_metadata(), 30)
    late = threading.Timer(0.5, producer.commit_transaction, [30])
    late.start()
    assert stable_offsets(config) == {(topic, 0): (7, "")}
    late.join()
    consumer.close()
