"""A program of one file: its classes are no module's, so workers get them whole or not at all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pyspark.sql import SparkSession

from penstock import Consumed, KafkaStreams, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.application import State
from penstock.handlers import LogAndContinueExceptionHandler
from tests.spark.hosted import PATIENCE_SECONDS, TEXT, Hosted

pytestmark = pytest.mark.slow


def test_a_record_without_a_required_field_goes_to_the_dead_letters_of_a_one_file_program(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    # No module has it, as none has the classes of a main script.
    @dataclass
    class Order:
        id: str
        amount: int

    orders = serdes.json(Order)
    servers = kafka_broker.bootstrap_servers
    hosted = Hosted(servers, "one-file")
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic("one-file-dead", 1, 1)])["one-file-dead"].result()
    builder = StreamsBuilder()
    stream = builder.stream("one-file-in", Consumed(TEXT, orders))
    stream.map_values(lambda order: Order(order.id, order.amount)).to(
        "one-file-out", Produced(TEXT, orders)
    )
    config = {
        "application.id": "one-file",
        "bootstrap.servers": servers,
        "state.dir": str(tmp_path),
        "deserialization.exception.handler": LogAndContinueExceptionHandler,
        "errors.dead.letter.queue.topic.name": "one-file-dead",
        "penstock.turn.ms": 2000,
    }
    streams = KafkaStreams(builder.build(), config, spark=spark)
    streams.start()
    try:
        assert streams.wait_until(State.RUNNING, 120_000), (streams.state, streams.failure)
        hosted.write(("a", '{"id":"a"}'), ("a", '{"id":"b","amount":2}'))
        assert hosted.read(1) == [("a", '{"id":"b","amount":2}')]
        assert read_one(servers, "one-file-dead") == b'{"id":"a"}'
        assert streams.failure is None
    finally:
        streams.close()
        hosted.close()


def read_one(servers: str, topic: str) -> bytes | None:
    """Wait for a topic's first record; return its value."""
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": "one-file-dead-reader",
        }
    )
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    try:
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            message = consumer.poll(0.5)
            if message is not None and message.error() is None:
                return message.value()
        return None
    finally:
        consumer.close()
