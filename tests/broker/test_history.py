"""A topic's past on a real broker: where it ends, and that its parts are the whole."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from confluent_kafka import Producer

from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.topic_history import (
    Bound,
    Split,
    TopicRange,
    find_range,
    read_split,
    reading_settings,
)
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

FOREVER = {"retention.ms": "-1"}


@pytest.fixture
def config(kafka_broker: LocalBroker, tmp_path: Path) -> StreamsConfig:
    return StreamsConfig(
        {
            "application.id": "history",
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "state.dir": str(tmp_path),
        }
    )


@pytest.fixture
def topic(kafka_broker: LocalBroker, kafka_topic: CreateTopic) -> str:
    """Return a topic of two partitions: ten plain records each, with times 1,000 to 10,000, then
    transactions of which every other one is aborted.
    """
    name = kafka_topic("past", partitions=2, config=FOREVER)
    plain = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for number in range(1, 11):
        for partition in (0, 1):
            plain.produce(name, f"p{number}", "k", partition, timestamp=number * 1000)
    plain.flush()
    settings = {"bootstrap.servers": kafka_broker.bootstrap_servers, "transactional.id": name}
    transactional = Producer(settings)
    transactional.init_transactions()
    for turn in range(4):
        transactional.begin_transaction()
        for number in range(3):
            transactional.produce(name, f"t{turn}-{number}", "k", 0, timestamp=20_000 + turn)
        transactional.flush()
        if turn % 2:
            transactional.abort_transaction()
        else:
            transactional.commit_transaction()
    return name


def find(config: StreamsConfig, topic: str, until: Bound = None) -> TopicRange:
    return find_range(open_admin(config), topic, until=until)


def values(config: StreamsConfig, splits: list[Split]) -> Iterator[str]:
    for split in splits:
        for records in read_split(reading_settings(config), split):
            yield from ((value or b"").decode() for _, _, _, value, _ in records)


def test_history_ends_where_the_topic_does_now(config: StreamsConfig, topic: str) -> None:
    stretch = find(config, topic)

    assert stretch.starts == {0: 0, 1: 0}
    # Each transaction ends with a marker.
    assert stretch.ends == {0: 10 + 4 * 4, 1: 10}


@pytest.mark.parametrize("per_split", [1, 3, 4, 1000])
def test_parts_are_the_whole_without_what_was_taken_back(
    config: StreamsConfig, topic: str, per_split: int
) -> None:
    splits = [one for one in find(config, topic).splits(per_split) if one.partition == 0]

    plain = [f"p{number}" for number in range(1, 11)]
    committed = [f"t{turn}-{number}" for turn in (0, 2) for number in range(3)]
    assert list(values(config, splits)) == plain + committed


def test_history_ends_before_the_first_record_of_a_moment(
    config: StreamsConfig, topic: str
) -> None:
    moment = datetime.fromtimestamp(5, UTC)

    assert find(config, topic, moment).ends == {0: 4, 1: 4}
    assert find(config, topic, 5000).ends == {0: 4, 1: 4}


def test_a_moment_that_is_still_to_come_is_the_end(config: StreamsConfig, topic: str) -> None:
    assert find(config, topic, datetime(2500, 1, 1, tzinfo=UTC)).ends == find(config, topic).ends


def test_the_end_of_a_transaction_has_its_own_time(config: StreamsConfig, topic: str) -> None:
    # The broker finds the marker, which was written later than the moment; nothing is lost by it,
    # since the live application goes on from there.
    assert find(config, topic, 99_000).ends == {0: 13, 1: 10}


def test_history_ends_at_offsets_that_are_given(config: StreamsConfig, topic: str) -> None:
    assert find(config, topic, {0: 7}).ends == {0: 7, 1: 10}


def test_an_open_transaction_is_not_history(
    config: StreamsConfig, kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("open")
    settings = {"bootstrap.servers": kafka_broker.bootstrap_servers, "transactional.id": topic}
    producer = Producer(settings)
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(topic, "open")
    producer.flush()

    assert find(config, topic).ends == {0: 0}
    producer.abort_transaction()


@pytest.mark.parametrize(
    ("until", "told"),
    [
        ({0: 999}, "partition 0 has the committed offsets 0 to 26"),
        ({7: 0}, "partition 7 is not among its 2 partitions"),
        (datetime(2026, 1, 1), "must have a time zone"),  # noqa: DTZ001  # on purpose
    ],
)
def test_ends_that_cannot_be_are_refused(
    config: StreamsConfig, topic: str, until: Bound, told: str
) -> None:
    with pytest.raises(StreamsError, match=told):
        find(config, topic, until)
