"""Reading inputs from a real broker: the end of a partition is known, a lost offset explained."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._engine.fast.choice import compiled
from penstock._engine.kafka.client.client_errors import TaskMigrated
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.tasks import inputs as inputs_module
from penstock._engine.kafka.tasks.inputs import InputReader, starting_offset
from penstock._engine.kafka.tasks.open_transactions import HeldBack
from penstock._engine.kafka.tasks.paused_buffer import PausedBuffer
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic

FOR_EVER_SECONDS, PATIENCE_SECONDS = 3600.0, 60.0

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]


def reader(
    broker: LocalBroker, application_id: str, ends: dict[tuple[str, int], int] | None = None
) -> InputReader:
    config = StreamsConfig(
        {
            "application.id": application_id,
            "bootstrap.servers": broker.bootstrap_servers,
            "processing.guarantee": "exactly_once_v2",
        }
    )
    return InputReader(consumer_settings(config, "input"), ends)


def read_until(inputs: InputReader, done: Any, seconds: float = 30.0) -> list[bytes | None]:
    """Read until `done()`; give the values."""
    values: list[bytes | None] = []
    until = time.monotonic() + seconds
    while not done(values) and time.monotonic() < until:
        for records in inputs.read(0.2, 500).values():
            values += [record[3] for record in records]
    return values


def test_a_client_is_woken_by_others_while_it_is_replaced_and_closed(
    kafka_broker: LocalBroker,
) -> None:
    inputs = reader(kafka_broker, "woken")
    woken: set[bool] = set()
    over = threading.Event()

    def wake() -> None:
        while not over.is_set():
            woken.add(inputs.wake())

    threads = [threading.Thread(target=wake, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        inputs.renew()
        assert inputs.read(0.01, 1) == {}
    inputs.close()
    over.set()
    for thread in threads:
        thread.join()
    assert not inputs.wake()
    assert any(woken) is (compiled is not None)


@pytest.mark.skipif(compiled is None, reason="a reader in Python cannot be woken")
def test_a_wait_is_ended_by_a_question_that_comes_before_it_or_meanwhile(
    kafka_broker: LocalBroker,
) -> None:
    inputs = reader(kafka_broker, "asked")
    inputs.wake()
    assert inputs.read(FOR_EVER_SECONDS, 1) == {}
    waiting = threading.Thread(target=inputs.read, args=(FOR_EVER_SECONDS, 1), daemon=True)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    assert inputs.wake()
    waiting.join(PATIENCE_SECONDS)
    assert not waiting.is_alive()
    inputs.close()


def test_lag_is_zero_only_at_the_end_of_what_is_committed(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("lag")
    producer = Producer(
        {
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "transactional.id": topic,
        }
    )
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(topic, b"committed")
    producer.commit_transaction()
    producer.begin_transaction()
    producer.produce(topic, b"open")
    producer.flush()

    inputs = reader(kafka_broker, "lag")
    assert inputs.committed([(topic, 0)]) == {(topic, 0): None}
    inputs.add({(topic, 0): OFFSET_BEGINNING})
    assert inputs.lags == {(topic, 0): 1}
    values = read_until(inputs, lambda _: inputs.lags[topic, 0] == 0)
    assert values == [b"committed"]

    producer.commit_transaction()
    assert read_until(inputs, lambda seen: seen) == [b"open"]
    inputs.remove([(topic, 0)])
    assert inputs.lags == {}
    inputs.close()


def written(broker: LocalBroker, topic: str, *values: bytes) -> tuple[str, int]:
    """Write values; give the partition they are in."""
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for value in values:
        producer.produce(topic, value)
    producer.flush()
    return topic, 0


def test_partition_that_was_paused_is_read_when_it_comes_back(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    place = written(kafka_broker, kafka_topic("paused"), b"a", b"b")
    inputs = reader(kafka_broker, "paused")
    inputs.add({place: OFFSET_BEGINNING})
    read_until(inputs, lambda seen: seen)
    inputs.pause(place)
    inputs.remove([place])
    inputs.add({place: 1})
    assert read_until(inputs, lambda seen: seen) == [b"b"]
    inputs.close()


@pytest.mark.parametrize("held_bytes", [32_000_000, 0])
def test_what_is_paused_is_held_back_and_given_when_it_is_read_on(
    kafka_broker: LocalBroker,
    kafka_topic: CreateTopic,
    monkeypatch: pytest.MonkeyPatch,
    held_bytes: int,
) -> None:
    """Whether the client need not hear of the pause, or is told of it with the first record."""
    monkeypatch.setattr(inputs_module, "PausedBuffer", lambda: PausedBuffer(held_bytes))
    values = [str(number).encode() for number in range(50)]
    place = written(kafka_broker, kafka_topic(f"held-{held_bytes}"), *values)
    other = written(kafka_broker, kafka_topic(f"other-{held_bytes}"), b"other")
    inputs = reader(kafka_broker, f"held-{held_bytes}")
    inputs.add({place: OFFSET_BEGINNING, other: OFFSET_BEGINNING})
    inputs.pause(place)
    assert read_until(inputs, lambda _: False, seconds=2.0) == [b"other"]
    assert inputs.lags == {place: 1, other: 0}
    assert inputs.lag() == 50
    inputs.resume(place)
    assert read_until(inputs, lambda seen: len(seen) >= 50) == values
    read_until(inputs, lambda _: inputs.lags[place] == 0)
    assert inputs.end_met(place) == 50
    assert inputs.lag() == 0
    inputs.close()


def test_bounded_partition_is_read_to_its_end_and_no_further(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    place = written(kafka_broker, kafka_topic("bounded"), b"a", b"b", b"c", b"d")
    inputs = reader(kafka_broker, "bounded", {place: 2})
    inputs.add({place: OFFSET_BEGINNING})
    assert read_until(inputs, lambda _: inputs.lags[place] == 0) == [b"a", b"b"]
    inputs.resume(place)
    assert read_until(inputs, lambda _: False, seconds=1.0) == []
    # Begun again at or behind its end, it has nothing to give.
    inputs.remove([place])
    inputs.add({place: 3})
    assert read_until(inputs, lambda _: inputs.lags[place] == 0) == []
    inputs.close()


def test_lag_counts_what_is_known_to_be_on_the_broker(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    place = written(kafka_broker, kafka_topic("known"), *[b"x"] * 100)
    inputs = reader(kafka_broker, "known")
    assert inputs.lag() == 0
    inputs.add({place: OFFSET_BEGINNING})
    assert inputs.lag() is None
    read = 0
    while not read:
        read = sum(map(len, inputs.read(0.2, 10).values()))
    assert inputs.lag() == 100 - read
    read_until(inputs, lambda _: inputs.lags[place] == 0)
    assert inputs.lag() == 0
    assert inputs.end_met(place) == 100
    inputs.close()


def test_a_read_gives_no_more_than_the_limit(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    place = written(kafka_broker, kafka_topic("limit"), b"a", b"b", b"c")
    inputs = reader(kafka_broker, "limit")
    inputs.add({place: OFFSET_BEGINNING})
    sizes: list[int] = []
    while sum(sizes) < 3:
        sizes += [len(records) for records in inputs.read(0.2, 1).values()]
    assert sizes == [1, 1, 1]
    inputs.close()


def test_an_offset_that_is_gone_is_explained_and_nothing_is_reset(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("gone")
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for number in range(10):
        producer.produce(topic, str(number))
    producer.flush()
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for deleted in admin.delete_records([TopicPartition(topic, 0, 8)]).values():
        deleted.result()

    inputs = reader(kafka_broker, "gone")
    inputs.add({(topic, 0): 3})
    # A worker that stood still finds that another has processed and deleted them: it asks again.
    with pytest.raises(TaskMigrated, match="the committed offset is asked for again"):
        read_until(inputs, lambda _: False)
    inputs.remove({(topic, 0): 3})
    inputs.add({(topic, 0): 3})
    with pytest.raises(StreamsError, match=r"no longer has the offset to go on from.*nothing was"):
        read_until(inputs, lambda _: False)
    inputs.close()


def test_a_worker_that_stood_still_goes_on_where_the_one_that_deleted_records_committed(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    """A repartition topic is emptied by its readers; the stall of one ended the application."""
    topic = kafka_topic("emptied")
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for number in range(10):
        producer.produce(topic, str(number))
    producer.flush()
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for deleted in admin.delete_records([TopicPartition(topic, 0, 8)]).values():
        deleted.result()
    inputs = reader(kafka_broker, "emptied")
    for again in range(2):
        inputs.add({(topic, 0): 3})
        with pytest.raises(TaskMigrated):
            read_until(inputs, lambda _: False)
        inputs.remove({(topic, 0): 3})
        inputs.add({(topic, 0): 8})
        found = read_until(inputs, bool)
        assert found, again
        inputs.remove({(topic, 0): 8})
    inputs.close()


def test_where_a_partition_without_a_committed_offset_begins() -> None:
    assert starting_offset("earliest", "orders") == OFFSET_BEGINNING
    assert starting_offset("latest", "orders") == OFFSET_END
    with pytest.raises(StreamsError, match="'orders' has no committed offset"):
        starting_offset("none", "orders")


def test_what_an_open_transaction_holds_back_is_known(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("held-back")
    settings = {"bootstrap.servers": kafka_broker.bootstrap_servers}
    holder = Producer({**settings, "transactional.id": topic})
    other = Producer(settings)
    other.produce(topic, b"first", partition=0)
    other.flush(30)
    holder.init_transactions(30)
    holder.begin_transaction()
    holder.produce(topic, b"open", partition=0)
    holder.flush(30)
    other.produce(topic, b"behind", partition=0)
    other.flush(30)
    inputs, place = reader(kafka_broker, "held-back"), (topic, 0)
    try:
        inputs.add({place: 0})
        assert read_until(inputs, lambda _: inputs.end_met(place) >= 0) == [b"first"]
        assert inputs.lag() == 0
        assert inputs.held_back() == {place: HeldBack(1, 2)}
        holder.commit_transaction(30)
        after = read_until(inputs, lambda values: len(values) == 2 and not inputs.lag())
        assert after == [b"open", b"behind"]
        read_until(inputs, lambda _: inputs.end_met(place) > 1)
        assert inputs.held_back() == {}
    finally:
        inputs.close()
