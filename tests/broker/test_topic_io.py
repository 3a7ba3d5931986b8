"""Writing to a real broker, and reading what was written."""

from __future__ import annotations

import pytest

from penstock import Consumed, Produced, StreamsBuilder, StreamsConfig, serdes
from penstock._engine.kafka.client.topic_io import (
    Read,
    TopicReader,
    TopicWriter,
    partition_count,
    record_count,
)
from penstock._engine.kafka.local_broker.embedded import make_missing_topics
from penstock.errors import StreamsError
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = pytest.mark.slow

TEXT = serdes.string()


def read_all(servers: str, *topics: str) -> list[Read]:
    reader = TopicReader(servers, topics)
    records: list[Read] = []
    while not reader.caught_up:
        records += reader.read(0.2)
    reader.close()
    return [record._replace(timestamp=0) for record in records]


def test_what_was_written_is_read(kafka_broker: LocalBroker, kafka_topic: CreateTopic) -> None:
    servers, topic = kafka_broker.bootstrap_servers, kafka_topic("lines", 3)
    writer = TopicWriter(servers)
    pairs = [(None, b"a"), (b"k", b"b"), (b"k", None)]
    for key, value in pairs:
        writer.write(topic, key, value)
    writer.flush()
    assert {record[1:3] for record in read_all(servers, topic)} == set(pairs)
    assert record_count(servers, topic) == 3
    assert partition_count(servers, topic) == 3


def test_topic_that_grows_is_read_on(kafka_broker: LocalBroker, kafka_topic: CreateTopic) -> None:
    servers, topic = kafka_broker.bootstrap_servers, kafka_topic("lines")
    reader, writer = TopicReader(servers, [topic]), TopicWriter(servers)
    for value in (b"a", b"b"):
        writer.write(topic, None, value)
        writer.flush()
        while not (records := reader.read(0.2)):
            pass
        assert [record.value for record in records] == [value]
    reader.close()


def test_topic_that_is_not_there_is_refused(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("lines")
    internal = ["shop-counts-changelog", "shop-by-page-repartition", "shop-penstock-tasks"]
    for name in internal:
        kafka_broker.create_topic(name, 1)
    with pytest.raises(StreamsError) as refused:
        TopicReader(kafka_broker.bootstrap_servers, ["nowhere"])
    subject, _, listed = str(refused.value).partition("; topics are: ")
    assert subject == "there is no topic 'nowhere'"
    assert topic in listed.split(", ")
    assert set(internal).isdisjoint(listed.split(", "))


def test_record_that_cannot_be_written_is_told(kafka_broker: LocalBroker) -> None:
    writer = TopicWriter(kafka_broker.bootstrap_servers)
    writer.write("nowhere-to-write", None, b"a")
    with pytest.raises(StreamsError, match="a record could not be written"):
        writer.flush()


def test_topics_of_a_program_are_made_if_they_are_missing(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    there = kafka_topic("there", 2)
    builder = StreamsBuilder()
    builder.stream(there, Consumed(TEXT, TEXT)).to(f"{there}-new", Produced(TEXT, TEXT))
    topology, servers = builder.build(), kafka_broker.bootstrap_servers
    config = StreamsConfig({"application.id": "x", "bootstrap.servers": servers})
    assert make_missing_topics(topology, config) == [f"{there}-new"]
    assert make_missing_topics(topology, config) == []
    assert [partition_count(servers, topic) for topic in (there, f"{there}-new")] == [2, 4]
