"""Keys in the wrong partition: what a join misses is told, what fits is not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from zlib import crc32

import pytest
from confluent_kafka import Producer

from penstock import Consumed, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.publisher import Publisher
from penstock._engine.kafka.client.topic_io import TopicReader, TopicWriter
from penstock._engine.kafka.tasks.key_placement import KeySample, OwnTopic, find_misplaced
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock.cli.arguments.programs import Application
from penstock.cli.doctor.cluster import check_cluster
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import settings

TEXT = serdes.string()
PARTITIONS = 4
KEYS = [f"key {number}".encode() for number in range(50)]
GROUP = [frozenset({"a", "b"})]

Place = Callable[[bytes, int], int]


def by_crc32(key: bytes, count: int) -> int:
    return crc32(key) % count


def by_length(key: bytes, count: int) -> int:
    return len(key) % count


def sample(topic: str, place: Place, keys: Iterable[bytes] = KEYS) -> KeySample:
    made = KeySample(topic, PARTITIONS)
    for key in keys:
        made.add(key, place(key, PARTITIONS))
    return made


def misplaced(*samples: KeySample) -> list[str]:
    found = find_misplaced(GROUP, {one.topic: one for one in samples})
    return [one.topic for one in found]


def test_a_topic_of_librdkafka_s_default_beside_one_of_murmur2_is_told() -> None:
    samples = {"a": sample("a", by_crc32), "b": sample("b", partition_of)}
    (told,) = find_misplaced(GROUP, samples)
    key, partition = samples["a"].misplaced["murmur2"]
    assert str(told).startswith(
        f"topic 'a' has the key {key.decode()!r} in partition {partition}, as the default of "
        f"librdkafka (CRC32) has it; Kafka Streams and Java's producers (murmur2) put it in "
        f"{partition_of(key, PARTITIONS)}. Joins with topic 'b' miss most matches: set "
        "partitioner=murmur2_random"
    )


@pytest.mark.parametrize("place", [partition_of, by_crc32, by_length])
def test_topics_of_the_same_rule_are_left_in_peace(place: Place) -> None:
    assert misplaced(sample("a", place), sample("b", place)) == []


def test_a_topic_beside_one_of_ours_must_follow_murmur2() -> None:
    own = OwnTopic("b", PARTITIONS)
    assert misplaced(sample("a", by_crc32), own) == ["a"]
    assert misplaced(sample("a", by_length), own) == ["a"]
    assert misplaced(sample("a", partition_of), own) == []


def test_a_rule_of_the_user_s_beside_a_known_one_is_told() -> None:
    assert misplaced(sample("a", by_length), sample("b", partition_of)) == ["a"]


def test_few_keys_prove_nothing() -> None:
    few = KEYS[:4]
    assert misplaced(sample("a", by_length), sample("b", partition_of, few)) == []
    assert misplaced(sample("a", by_crc32, ()), OwnTopic("b", PARTITIONS)) == []


def joined(orders: str, customers: str, target: str) -> Topology:
    builder = StreamsBuilder()
    table = builder.table(customers, Consumed(TEXT, TEXT))
    stream = builder.stream(orders, Consumed(TEXT, TEXT))
    stream.join(table, lambda order, customer: f"{order} {customer}").to(
        target, Produced(TEXT, TEXT)
    )
    return builder.build()


@pytest.mark.slow
@pytest.mark.usefixtures("_kafka_can_be_had")
def test_a_worker_and_the_doctor_tell_of_keys_that_a_join_misses(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    orders, customers, target = (
        kafka_topic(name, partitions=PARTITIONS) for name in ("orders", "customers", "out")
    )
    producers = {customers: {"partitioner": "murmur2_random"}, orders: {}}
    for topic, wish in producers.items():
        producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers, **wish})
        for key in KEYS:
            producer.produce(topic, b"x", key)
        producer.flush()
    topology = joined(orders, customers, target)
    config = settings(kafka_broker, tmp_path, f"placed-{orders}")
    blueprint = prepare(topology, config)
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        until = time.monotonic() + 60
        while not worker.figures.drained():
            assert time.monotonic() < until
            worker.step()
        worker.close()
    told = [text for text in caplog.messages if "murmur2_random" in text]
    assert len(told) == 1
    assert told[0].startswith(f"topic {orders!r} has the key ")
    assert f"Joins with topic {customers!r} miss" in told[0]
    findings = {one.name: one for one in check_cluster(config, Application(topology, config))}
    assert findings["keys"].status == "warning"
    assert f"topic {orders!r} has the key " in findings["keys"].told


@pytest.mark.slow
@pytest.mark.usefixtures("_kafka_can_be_had")
def test_what_the_commands_and_the_outbox_write_is_where_java_would_put_it(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    produced, published = kafka_topic("produced", PARTITIONS), kafka_topic("published", PARTITIONS)
    servers = kafka_broker.bootstrap_servers
    writer = TopicWriter(servers)
    outbox = {"application.id": "outbox", "bootstrap.servers": servers}
    publisher = Publisher(StreamsConfig(outbox))
    for key in KEYS:
        writer.write(produced, key, b"x")
        publisher.send(published, key, b"x", ())
    writer.flush()
    publisher.flush()
    reader, rows = TopicReader(servers, [produced, published]), []
    until = time.monotonic() + 60
    while not reader.caught_up:
        assert time.monotonic() < until
        rows += reader.read(1.0)
    reader.close()
    assert len(rows) == 2 * len(KEYS)
    for row in rows:
        assert row.key is not None
        assert row.partition == partition_of(row.key, PARTITIONS)
