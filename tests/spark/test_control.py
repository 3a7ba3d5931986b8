"""What a user can do to an application that runs, and hear from it: slots, restoring, the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from penstock import (
    Grouped,
    KafkaStreams,
    KStream,
    Materialized,
    StandbyUpdateListener,
    State,
    StateRestoreListener,
    SuspendReason,
    TopicPartition,
    UncaughtResponse,
    serdes,
)
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.status import GONE
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.errors import StoreNotReadyError
from penstock.queries import LagInfo
from tests.spark.hosted import PATIENCE_SECONDS, TEXT, hosted

pytestmark = pytest.mark.slow

ONE_SLOT = {"num.stream.threads": 1, "penstock.turn.ms": 1000}


def counted_by(folder: Path) -> Callable[[KStream[str, str]], KStream[str, str]]:
    """Count by key; the first worker that meets a value "bad" fails, and no other one.

    The instance that gets its task may process it before it is asked to end.
    """
    marker = str(folder / "met")

    def checked(value: str) -> str:
        if value == "bad" and not Path(marker).exists():
            Path(marker).touch()
            raise ValueError(value)
        return value

    return lambda stream: (
        stream.map_values(checked)
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=serdes.long()))
        .to_stream()
        .map_values(str)
    )


def check_that_copies_are_read(streams: KafkaStreams, expected: int) -> None:
    """Check that an instance with one of two tasks has a copy of the other."""
    with pytest.raises(StoreNotReadyError):
        list(streams.store("counts", timeout=100).all())
    stale = streams.store("counts", stale_ok=True)

    def caught_up() -> bool:
        found: int = sum(count.value for _, count in stale.all())
        behind: dict[int, int] = stale.offsets_behind
        return found == expected and behind == {0: 0, 1: 0}

    wait_for(caught_up)
    lags = streams.all_local_store_partition_lags()["counts"]
    (own,) = [number for number, lag in lags.items() if lag == LagInfo(0)]
    copy = lags[1 - own]
    assert copy.offset_lag == 0
    assert copy.current_offset_position == copy.end_offset_position
    here, *_ = streams.metadata_for_all_streams_clients()
    assert {part.partition for part in here.standby_topic_partitions} == {1 - own}


def shares(*instances: KafkaStreams) -> list[list[str]]:
    """Return which tasks the workers have that have any."""
    return sorted(
        sorted(report.tasks)
        for streams in instances
        for report in streams.reports().values()
        if report.tasks
    )


def living(streams: KafkaStreams) -> list[Report]:
    return [report for report in streams.reports().values() if report.state not in GONE]


def latest_turn(streams: KafkaStreams) -> int:
    return max(report.slot[0] for report in living(streams))


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until
        time.sleep(0.1)


class Heard(StateRestoreListener):
    """Notes what was restored."""

    def __init__(self) -> None:
        self.started: list[TopicPartition] = []
        self.starting_offset = 0
        self.changes = 0
        self.ended: dict[TopicPartition, int] = {}

    def on_restore_start(
        self, topic_partition: TopicPartition, store_name: str, starting_offset: int, end: int
    ) -> None:
        self.started.append(topic_partition)
        self.starting_offset = starting_offset

    def on_batch_restored(
        self, topic_partition: TopicPartition, store_name: str, end: int, num_restored: int
    ) -> None:
        assert store_name == "counts"
        self.changes += num_restored

    def on_restore_end(
        self, topic_partition: TopicPartition, store_name: str, total_restored: int
    ) -> None:
        self.ended[topic_partition] = total_restored


class Copied(StandbyUpdateListener):
    """Notes how far copies are, and why they were left."""

    def __init__(self) -> None:
        self.reached: dict[TopicPartition, int] = {}
        self.left: list[tuple[TopicPartition, SuspendReason]] = []

    def on_update_start(
        self, topic_partition: TopicPartition, store_name: str, starting_offset: int
    ) -> None:
        assert store_name == "counts"
        self.reached[topic_partition] = -1

    def on_batch_loaded(
        self, topic_partition: TopicPartition, store_name: str, task: str, at: int, *more: int
    ) -> None:
        assert (store_name, task) == ("counts", f"0_{topic_partition.partition}")
        assert at <= more[-1]
        self.reached[topic_partition] = at

    def on_update_suspended(self, *told: Any) -> None:
        self.left.append((told[0], told[-1]))


def test_slots_are_added_and_removed_at_the_next_turn(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    # Its worker is told to go: it does not stay to the end of its lease.
    settings = {**ONE_SLOT, "penstock.lease.ms": 10 * 60 * 1000}
    with hosted(servers, "resized", lambda s: s, spark, tmp_path, **settings) as (app, streams):
        assert shares(streams) == [["0_0", "0_1"]]
        assert streams.add_stream_thread() == 2
        wait_for(lambda: shares(streams) == [["0_0"], ["0_1"]])
        assert streams.add_stream_thread() is None  # the session has two cores

        assert streams.remove_stream_thread() == 1
        wait_for(lambda: shares(streams) == [["0_0", "0_1"]])
        # It stays so, although Spark goes on to lend both processes in turn.
        turn = latest_turn(streams)
        wait_for(lambda: latest_turn(streams) >= turn + 4)
        assert [report.state for report in living(streams)] == ["running"]
        assert shares(streams) == [["0_0", "0_1"]]
        assert streams.remove_stream_thread() is None
        app.write(*((f"k{number}", "x") for number in range(20)))
        assert len(app.read(20)) == 20


def test_restoring_is_heard_of_and_one_instance_can_end_all(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    settings = {**ONE_SLOT, "statestore.cache.max.bytes": 0, "num.standby.replicas": 1}
    counted = counted_by(tmp_path)
    with hosted(servers, "ended", counted, spark, tmp_path / "one", **settings) as (app, first):
        app.write(*((f"k{number}", "x") for number in range(40)))
        assert len(app.read(40)) == 40

        heard, copied = Heard(), Copied()
        config = {**first._config.given(), "state.dir": str(tmp_path / "two")}
        second = KafkaStreams(first._topology, config, spark=spark.newSession())
        second.set_global_state_restore_listener(heard)
        second.set_standby_update_listener(copied)
        for streams in (first, second):
            streams._supervision.uncaught = lambda failure: UncaughtResponse.SHUTDOWN_APPLICATION
        second.start()
        try:
            wait_for(lambda: shares(first, second) == [["0_0"], ["0_1"]] and bool(heard.ended))
            ((topic, partition),) = heard.started
            assert topic == "ended-counts-changelog"
            assert heard.ended == {(topic, partition): heard.changes}
            assert heard.changes < 40
            # A standby that was up to date before the task came has nothing left to restore.
            assert heard.changes > 0 or heard.starting_offset > 0

            # Each keeps a copy of what the other one has.
            copies = [tmp_path / "two" / "ended" / task / "rocksdb" for task in ("0_0", "0_1")]
            wait_for(lambda: all(copy.exists() for copy in copies))

            for streams in (first, second):
                check_that_copies_are_read(streams, 40)

            other = TopicPartition(topic, 1 - partition)
            wait_for(lambda: copied.reached.get(other, -1) >= 0)
            # A copy of what it then got itself may have begun before.
            own = (TopicPartition(topic, partition), SuspendReason.PROMOTED)
            assert set(copied.left) <= {own}

            app.write(("k1", "bad"))
            assert first.wait_until(State.ERROR, 60_000)
            assert second.wait_until(State.ERROR, 60_000)
        finally:
            second.close()
        messages = [str(streams.failure and streams.failure.message) for streams in (first, second)]
        assert sum("another instance asked all to end" in message for message in messages) == 1
        assert all("ValueError: bad" in message for message in messages)
