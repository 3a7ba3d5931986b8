"""The records that librdkafka cannot write: the bytes are right, and a broker takes them."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, TopicPartition

from conformance.broker_view import BrokerView
from conformance.harness import Line
from conformance.plain_producer import crc32c, record_batch
from penstock._engine.kafka.local_broker.broker import LocalBroker


def test_the_checksum_is_that_of_castagnoli() -> None:
    # The check value of the catalogue of CRC algorithms.
    assert crc32c(b"123456789") == 0xE3069283


def test_a_batch_says_how_long_it_is() -> None:
    batch = record_batch(b"k", b"v", 0, [("h", None)])
    assert int.from_bytes(batch[8:12]) == len(batch) - 12


@pytest.mark.slow
def test_a_broker_takes_records_of_any_time(kafka_broker: LocalBroker) -> None:
    servers = kafka_broker.bootstrap_servers
    view = BrokerView(servers, "plain-producer")
    view.make_topics(["plain"])
    steps: list[Line] = [
        {"topic": "plain", "key": "a", "value": "x", "timestamp": 0, "headers": [["h", "v"]]},
        {"topic": "plain", "key": None, "value": None, "timestamp": -5},
        {"topic": "plain", "key": "a" * 300, "value": "", "timestamp": 1 << 40},
    ]
    try:
        for step in steps:
            view.feed(step)
        read = _read(servers, len(steps))
    finally:
        view.close()
    assert read == [
        (b"a", b"x", 0, [("h", b"v")]),
        (None, None, -5, None),
        (b"a" * 300, b"", 1 << 40, None),
    ]


def _read(servers: str, count: int) -> list[tuple[object, ...]]:
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "plain-reader"})
    consumer.assign([TopicPartition("plain", 0, 0)])
    try:
        messages = consumer.consume(count, 30)
    finally:
        consumer.close()
    return [
        (message.key(), message.value(), message.timestamp()[1], message.headers())
        for message in messages
    ]
