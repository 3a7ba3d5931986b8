"""Bounded runs: what the topics hold at the start is processed, all that comes of it, no more."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import SparkSession

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    State,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._engine.kafka.client.topic_io import TopicReader, TopicWriter
from penstock.errors import StreamsError
from penstock.testing.broker import LocalBroker

pytestmark = pytest.mark.slow

TEXT, LONG = serdes.string(), serdes.long()
RECORDS = 3000
PATIENCE_MS = 180_000


def topology(name: str) -> Topology:
    """Count by word, and the words by their first letter: two repartition topics in a row."""
    builder = StreamsBuilder()
    (
        builder.stream(f"{name}-in", Consumed(TEXT, TEXT))
        .group_by(lambda key, word: word, Grouped("words", TEXT, TEXT))
        .count(Materialized("by-word", TEXT, LONG))
        .to_stream()
        .group_by(lambda word, count: word[0], Grouped("letters", TEXT, LONG))
        .reduce(max, Materialized("by-letter", TEXT, LONG))
        .to_stream()
        .to(f"{name}-out", Produced(TEXT, LONG))
    )
    return builder.build()


def word(number: int) -> str:
    return f"{'abcdef'[number % 6]}{number % 7}"


def write(servers: str, topic: str, numbers: range) -> None:
    writer = TopicWriter(servers)
    for number in numbers:
        writer.write(topic, str(number).encode(), word(number).encode())
    writer.flush()


def expected(numbers: range) -> dict[str, int]:
    """Return how often the most frequent word of each letter is among these."""
    counts = Counter(map(word, numbers))
    return {
        letter: max(count for one, count in counts.items() if one[0] == letter)
        for letter in {one[0] for one in counts}
    }


def read(servers: str, topic: str) -> dict[str, int]:
    reader = TopicReader(servers, [topic])
    latest: dict[str, int] = {}
    while not reader.caught_up:
        for record in reader.read(0.5):
            latest[TEXT.deserialize("", record.key) or ""] = LONG.deserialize("", record.value) or 0
    reader.close()
    return latest


def consumed(servers: str, name: str) -> int:
    """Return how many input records the application has committed."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": name})
    places = consumer.committed([TopicPartition(f"{name}-in", number) for number in range(3)])
    consumer.close()
    return sum(place.offset for place in places)


@pytest.mark.parametrize(
    "guarantee",
    ["exactly_once_v2", pytest.param("at_least_once", marks=pytest.mark.long)],
)
def test_bounded_run_ends_where_its_inputs_ended(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path, guarantee: str
) -> None:
    servers, name = kafka_broker.bootstrap_servers, f"bounded-{guarantee[:2]}"
    for part in ("in", "out"):
        kafka_broker.create_topic(f"{name}-{part}", 3)
    config = {
        "application.id": name,
        "bootstrap.servers": servers,
        "state.dir": str(tmp_path),
        "processing.guarantee": guarantee,
        "penstock.turn.ms": 2000,
        "penstock.spark.slots": "all",
    }

    def run(numbers: range, too_late: range) -> None:
        write(servers, f"{name}-in", numbers)
        streams = KafkaStreams(topology(name), config, spark=spark)
        streams.start(available_now=True)
        write(servers, f"{name}-in", too_late)
        assert streams.wait_until(State.NOT_RUNNING, PATIENCE_MS), (
            streams.state,
            streams.reports(),
        )
        assert streams.failure is None

    def check(numbers: range) -> None:
        assert consumed(servers, name) == len(numbers)
        counts = read(servers, f"{name}-out")
        if guarantee == "exactly_once_v2":
            assert counts == expected(numbers)
        else:  # a worker that joins in the middle may have records counted again
            assert all(counts[letter] >= count for letter, count in expected(numbers).items())

    late = range(RECORDS, RECORDS + 500)
    run(range(RECORDS), late)
    check(range(RECORDS))
    # The next run begins where this one ended: with what came too late for it.
    run(range(0), range(0))
    check(range(late.stop))


def test_clean_up_deletes_local_state_but_not_while_the_application_runs(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers, name = kafka_broker.bootstrap_servers, "cleaned"
    for part in ("in", "out"):
        kafka_broker.create_topic(f"{name}-{part}", 1)
    config = {
        "application.id": name,
        "bootstrap.servers": servers,
        "state.dir": str(tmp_path),
        "processing.guarantee": "exactly_once_v2",
        "penstock.turn.ms": 2000,
    }
    write(servers, f"{name}-in", range(100))
    streams = KafkaStreams(topology(name), config, spark=spark)
    streams.start()
    assert streams.wait_until(State.RUNNING, PATIENCE_MS)
    with pytest.raises(StreamsError, match="before start or after close; the application is"):
        streams.clean_up()
    with pytest.raises(StreamsError, match="cannot be cleaned up"):
        KafkaStreams(topology(name), config).clean_up()
    until = time.monotonic() + 60
    while not read(servers, f"{name}-out") and time.monotonic() < until:
        time.sleep(0.2)
    streams.close()
    assert list(tmp_path.rglob("rocksdb"))
    streams.clean_up()
    assert list(tmp_path.rglob("*")) == []
    # Without local state the changelogs bring it back.
    write(servers, f"{name}-in", range(100, 200))
    again = KafkaStreams(topology(name), config, spark=spark)
    again.start(available_now=True)
    assert again.wait_until(State.NOT_RUNNING, PATIENCE_MS), (again.state, again.reports())
    assert read(servers, f"{name}-out") == expected(range(200))
