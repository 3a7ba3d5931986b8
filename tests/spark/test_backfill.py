"""A Spark job gives an application its past; the live one goes on as if it had always been live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
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
from penstock import spark as streams
from penstock.errors import StreamsError
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS
from tests.spark.backfill_live import Site, go_through, make_topics, read_updates
from tests.spark.stateful_restart import backfilled, driven

pytestmark = pytest.mark.slow

TEXT, LONG = serdes.string(), serdes.long()


SAMPLE = ["until-close", "sessions", "foreign-key", "global", "stream-stream-outer", "regrouped"]
"""All of them, without Spark: tests/broker/test_backfill_programs.py."""


def test_stateful_verbs_go_on_as_if_they_had_been_live(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    got = backfilled(SAMPLE, spark, kafka_broker.bootstrap_servers, tmp_path)

    for name in SAMPLE:
        assert got[name] == driven(name)[name], name


def test_a_backfill_that_is_killed_and_run_again_leaves_each_record_once(tmp_path: Path) -> None:
    with LocalBroker(tmp_path / "broker") as broker:
        make_topics(broker)
        site = Site(broker.bootstrap_servers, tmp_path)
        for topic, (got, wanted) in go_through(site, 60_000).items():
            assert got == wanted, topic


class Counting:
    """A program that counts words, and its application."""

    def __init__(self, broker: LocalBroker, create: CreateTopic, state: Path) -> None:
        self.broker = broker
        self.source, self.between, self.out = (
            create(name, 2, {"retention.ms": "-1"}) for name in ("in", "between", "out")
        )
        self.config: dict[str, Any] = {
            "application.id": f"counting-{self.source}",
            "bootstrap.servers": broker.bootstrap_servers,
            "state.dir": str(state),
            "processing.guarantee": "exactly_once_v2",
            "statestore.cache.max.bytes": 0,
        }

    def topology(self, *, through: bool = False) -> Topology:
        """Draw it; with `through`, words go through a topic of the user's."""
        builder = StreamsBuilder()
        words = builder.stream(self.source, Consumed(TEXT, TEXT))
        if through:
            words.to(self.between, Produced(TEXT, TEXT))
            words = builder.stream(self.between, Consumed(TEXT, TEXT))
        counts = words.group_by(lambda key, word: word, Grouped("words", TEXT, TEXT)).count(
            Materialized("counts", TEXT, LONG)
        )
        counts.to_stream().to(self.out, Produced(TEXT, LONG))
        return builder.build()

    def say(self, words: str, first_time: int = 1000) -> None:
        producer = Producer({"bootstrap.servers": self.broker.bootstrap_servers})
        for number, word in enumerate(words.split()):
            producer.produce(
                self.source, word, str(number), number % 2, timestamp=first_time + number
            )
        producer.flush()

    def live(self, topology: Topology, spark: SparkSession) -> None:
        application = KafkaStreams(topology, self.config, spark=spark)
        application.start(available_now=True)
        assert application.wait_until(State.NOT_RUNNING, PATIENCE_SECONDS * 2000)

    def written(self) -> dict[str, list[object]]:
        return dict(read_updates(self.broker.bootstrap_servers, self.out))


@pytest.fixture
def counting(kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path) -> Counting:
    return Counting(kafka_broker, kafka_topic, tmp_path / "state")


def test_an_archive_with_offsets_says_where_to_go_on(
    counting: Counting, spark: SparkSession, tmp_path: Path
) -> None:
    counting.say("a b a c a")
    archive = str(tmp_path / "archive")
    streams.history(counting.source, counting.config, spark=spark).write.parquet(archive)
    counting.say("b a", first_time=2000)

    report = streams.backfill(
        counting.topology(), counting.config, inputs={counting.source: archive}, spark=spark
    )
    assert report.ends == {counting.source: {0: 3, 1: 2}}
    assert counting.written() == {"a": [1, 2, 3], "b": [1], "c": [1]}

    counting.live(counting.topology(), spark)
    assert counting.written() == {"a": [1, 2, 3, 4], "b": [1, 2], "c": [1]}


def test_what_goes_through_a_topic_of_the_user_s_is_not_read_again(
    counting: Counting, spark: SparkSession
) -> None:
    counting.say("a b a")
    streams.backfill(counting.topology(through=True), counting.config, spark=spark)
    counting.say("a b", first_time=2000)
    counting.live(counting.topology(through=True), spark)

    assert counting.written() == {"a": [1, 2, 3], "b": [1, 2]}


def test_history_can_end_at_offsets(counting: Counting, spark: SparkSession) -> None:
    counting.say("a a a a")
    until = {counting.source: {0: 1, 1: 1}}
    streams.backfill(counting.topology(), counting.config, until=until, spark=spark)
    assert counting.written() == {"a": [1, 2]}

    counting.live(counting.topology(), spark)
    assert counting.written() == {"a": [1, 2, 3, 4]}


def test_an_application_that_has_been_backfilled_is_refused(
    counting: Counting, spark: SparkSession
) -> None:
    counting.say("a")
    streams.backfill(counting.topology(), counting.config, spark=spark)

    with pytest.raises(StreamsError, match="it has run before"):
        streams.backfill(counting.topology(), counting.config, spark=spark)


def test_what_fails_in_user_code_is_told_and_can_be_gone_on_with(
    counting: Counting, spark: SparkSession
) -> None:
    counting.say("a b")

    def failing() -> Topology:
        builder = StreamsBuilder()
        words = builder.stream(counting.source, Consumed(TEXT, TEXT))
        words.map_values(lambda word: 1 // (word != "b")).to(counting.out, Produced(TEXT, LONG))
        return builder.build()

    with pytest.raises(StreamsError, match="ZeroDivisionError"):
        streams.backfill(failing(), counting.config, spark=spark)
    with pytest.raises(StreamsError, match="has begun with another program"):
        streams.backfill(counting.topology(), counting.config, spark=spark)
    streams.backfill(counting.topology(), counting.config, reset=True, spark=spark)


@pytest.mark.parametrize(
    ("wishes", "told"),
    [
        ({"inputs": {"elsewhere": "x"}}, "does not read 'elsewhere'"),
        ({"live_from": {"{source}": "earliest"}}, "is read from Kafka"),
        ({"inputs": {"{source}": "/no/such/file"}}, "cannot be read from"),
    ],
)
def test_wishes_that_do_not_fit_are_refused(
    counting: Counting, spark: SparkSession, wishes: dict[str, dict[str, str]], told: str
) -> None:
    meant: dict[str, Any] = {
        name: {topic.replace("{source}", counting.source): value for topic, value in one.items()}
        for name, one in wishes.items()
    }
    with pytest.raises(StreamsError, match=told):
        streams.backfill(counting.topology(), counting.config, spark=spark, **meant)
