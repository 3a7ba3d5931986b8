"""Restoring from a real changelog: not before the old owner's transaction is decided."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.tasks.restore import RestoreJob, Restorer
from penstock._engine.kafka.tasks.standby import Standbys
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.runtime.records import ChangelogRecord, Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic
from tests.broker.applications import run_until, settings

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

    def apply(changes: list[ChangelogRecord], _offset: int) -> None:
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


TEXT, LONG, MINUTE = serdes.string(), serdes.long(), 60_000


def counts_by_minute(source: str, target: str) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .windowed_by(TimeWindows.of_size(timedelta(minutes=1), grace=timedelta(hours=1)))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(target, Produced(serdes.time_windowed(TEXT, timedelta(minutes=1)), LONG))
    )
    return builder.build()


class LeftBehind:
    """An application whose local state is as it was long ago: the changelog, that of windows, has
    let go of what it would need next.
    """

    def __init__(self, folder: Path, broker: LocalBroker, kafka_topic: CreateTopic) -> None:
        self._source, self._target = kafka_topic("left-behind"), kafka_topic("left-behind-out")
        self.topology = counts_by_minute(self._source, self._target)
        self.config = settings(broker, folder / "state", f"{self._source}-app")
        self._producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
        # Of today: what is older than a day the broker deletes whenever it likes.
        self._first_minute = int(time.time() / 60) - 10
        assert self.counts([1, 1]) == [1, 2]
        copytree(folder / "state", folder / "old")
        assert self.counts([2, 2, 2, 3]) == [1, 2, 3, 1]
        rmtree(folder / "state")
        (folder / "old").rename(folder / "state")
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        changelog = f"{self._source}-app-counts-changelog"
        # All before the third record of the second minute.
        self.kept = offset_of_nth(broker, changelog, 5)
        doomed = TopicPartition(changelog, 0, self.kept)
        next(iter(admin.delete_records([doomed]).values())).result(30)
        self.end = end_offsets(admin, [(changelog, 0)])[changelog, 0]

    def counts(self, minutes: list[int]) -> list[int]:
        """Return the counts after one more record in each of the minutes."""
        for minute in minutes:
            timestamp = (self._first_minute + minute) * MINUTE
            self._producer.produce(self._source, b"v", b"k", timestamp=timestamp)
        self._producer.flush()

        def results(outputs: list[Output]) -> list[int]:
            values = [value for topic, _, _, value, *_ in outputs if topic == self._target]
            return [int.from_bytes(value or b"", "big") for value in values]

        done = run_until(
            self.topology, self.config, lambda outputs: len(results(outputs)) == len(minutes)
        )
        return results(done)


def test_state_that_cannot_be_brought_up_to_date_is_restored_from_the_beginning(
    tmp_path: Path, kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    """As in Java, where its task is corrupted."""
    assert LeftBehind(tmp_path, kafka_broker, kafka_topic).counts([3, 2, 4]) == [2, 4, 1]


def test_a_copy_that_cannot_be_brought_up_to_date_begins_anew(
    tmp_path: Path, kafka_broker: LocalBroker, kafka_topic: CreateTopic
) -> None:
    left_behind = LeftBehind(tmp_path, kafka_broker, kafka_topic)
    blueprint = prepare(left_behind.topology, left_behind.config)
    with TaskHost(blueprint) as host:

        def offset() -> int | None:
            copy = host.open_standby(blueprint.tasks[0])
            assert copy is not None
            try:
                return copy.stores[0].changelog_offset()
            finally:
                copy.close()

        assert (offset() or 0) in range(2, left_behind.kept)  # with one marker, or with two
        standbys, now = Standbys(blueprint, host), 0.0
        until = time.monotonic() + 60
        while time.monotonic() < until and (now % 10 or offset() != left_behind.end):
            standbys.work(["0_0"], now)
            time.sleep(0.01)
            now += 1 / 16
        standbys.close()
        assert offset() == left_behind.end


def offset_of_nth(broker: LocalBroker, topic: str, nth: int) -> int:
    """Return the offset of the nth record, of which the first is 1; markers have offsets, too."""
    reader = Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": "nobody",
            "enable.auto.commit": False,
        }
    )
    reader.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    offset = -1
    for _ in range(nth):
        message = reader.poll(30)
        assert message is not None
        assert message.error() is None
        offset = message.offset() or 0
    reader.close()
    return offset


def test_state_that_is_newer_than_its_changelog_is_refused(kafka_broker: LocalBroker) -> None:
    restoring = restorer(kafka_broker)
    job = RestoreJob(("lost", 0), 12, 3, lambda changes, offset: None)
    with pytest.raises(StreamsError, match=r"is at offset 12.*ends at 3.*nothing was"):
        restoring.begin([job])
    restoring.close()
