"""Two drivers of one application: either one answers for all tasks, until the other is closed or
killed, and after it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from penstock import KafkaStreams, State
from penstock._engine.http.address_file import ServedAt, read_addresses
from penstock._engine.http.clients.client import HttpClient
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.errors import StoreNotReadyError
from penstock.queries import FailureReason, HostInfo, KeyQuery, RangeQuery, StateQueryRequest
from penstock.stores import TopicPartition
from tests.spark.second_driver import EVENTS, NAME, settings, topology
from tests.spark.test_control import shares

pytestmark = pytest.mark.slow

KEYS = [f"key-{number:02}" for number in range(60)]
TASKS = ["0_0", "0_1", "0_2", "0_3"]
BEGIN_MS = 1_700_000_000_000
PORTS = 7001, 7002
PATIENCE_SECONDS = 300.0


def wait_for(true: Callable[[], bool]) -> None:
    """Wait for a condition; the second driver may have to start a Spark of its own for it."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until
        time.sleep(0.1)


class Fleet:
    """The first driver of the application, and what its stores must hold."""

    def __init__(self, servers: str, spark: SparkSession, folder: Path) -> None:
        self.servers, self._spark, self._folder = servers, spark, folder
        self.counts: Counter[str] = Counter()
        self.write()
        self.first = self.driver(0)

    def driver(self, number: int, **more: Any) -> KafkaStreams:
        """Start a driver of this process; it is running when this returns it."""
        config = settings(self.servers, str(self._folder / str(number)), PORTS[number]) | more
        for _ in range(3):
            streams = KafkaStreams(topology(), config, spark=self._spark.newSession())
            streams.start()
            if streams.wait_until(State.RUNNING, int(PATIENCE_SECONDS * 1000)):
                return streams
            # Spark gives its process 15 seconds to connect, which an overloaded machine exceeds.
            failure = streams.failure
            streams.close()
        raise AssertionError(failure)

    def write(self) -> None:
        producer = Producer(
            {"bootstrap.servers": self.servers, "partitioner": "murmur2_random", "linger.ms": 0}
        )
        for number in range(600):
            key = KEYS[number * number % len(KEYS)]
            self.counts[key] += 1
            producer.produce(EVENTS, b"v", key, timestamp=BEGIN_MS + number * 100)
        producer.flush()

    def address(self, number: int) -> ServedAt:
        folder = self._folder / str(number) / NAME
        wait_for(lambda: bool(read_addresses(folder)))
        return read_addresses(folder)[0]

    @contextmanager
    def process(self) -> Iterator[subprocess.Popen[bytes]]:
        """Start the second driver in a process of its own, with its own Spark."""
        config = settings(self.servers, str(self._folder / "1"), PORTS[1])
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.spark.second_driver", json.dumps(config)],
            start_new_session=True,
        )
        try:
            yield process
        finally:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the driver, Spark and the workers: all that was its machine."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def fleet(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    kafka_broker.create_topic(EVENTS, len(TASKS))
    made = Fleet(kafka_broker.bootstrap_servers, spark, tmp_path_factory.mktemp("fleet"))
    yield made
    assert made.first.close()


def ready(at: ServedAt) -> Any:
    with closing(HttpClient(at)) as client:
        try:
            return client.get("/health/ready")["ready"]
        except StoreNotReadyError as error:
            return str(error)


def owners(at: ServedAt) -> dict[str, tuple[str, str | None]]:
    with closing(HttpClient(at)) as client:
        return {
            task["id"]: (task["state"], task["driver"]) for task in client.get("/tasks")["tasks"]
        }


def check_http(fleet: Fleet, at: ServedAt) -> None:
    """Ask a driver for all keys, one by one and by ranges in pages, that others have as well."""
    with closing(HttpClient(at)) as client:
        for key in fleet.counts:
            (row,) = client.key("counts", key, {})
            assert row["value"] == fleet.counts[key]
        rows = list(client.range("counts", {"limit": "7"}))
        assert [(row["key"], row["value"]) for row in rows] == sorted(fleet.counts.items())
        windows: Counter[str] = Counter()
        for row in client.range("windows", {"limit": "7"}):
            windows[row["key"]] += row["value"]
        assert windows == fleet.counts


def check_python(fleet: Fleet, streams: KafkaStreams) -> None:
    store = streams.store("counts")
    assert {key: store.get(key).value for key in fleet.counts} == fleet.counts
    assert {key: one.value for key, one in store.get_all(KEYS).items()} == fleet.counts
    assert [key for key, _ in store.reverse_all()] == sorted(fleet.counts, reverse=True)
    assert store.approximate_num_entries() == len(fleet.counts)
    result = streams.query(StateQueryRequest("counts", RangeQuery()))
    assert result.partition_results.keys() == {0, 1, 2, 3}
    rows = [row for one in result.partition_results.values() for row in one.result or ()]
    assert dict(rows) == fleet.counts
    positions = result.position.partition_positions(EVENTS)
    assert sum(offset + 1 for offset in positions.values()) == fleet.counts.total()


def check_metadata(streams: KafkaStreams, own: HostInfo, other: HostInfo) -> None:
    by_host = {one.host_info: one for one in streams.metadata_for_all_streams_clients()}
    assert list(by_host) == [own, other]
    partitions = [one.topic_partitions for one in by_host.values()]
    assert frozenset.union(*partitions) == {TopicPartition(EVENTS, each) for each in range(4)}
    assert [len(each) for each in partitions] == [2, 2]
    assert streams.streams_metadata_for_store("windows") == list(by_host.values())
    for key in KEYS:
        found = streams.query_metadata_for_key("counts", key)
        place = TopicPartition(EVENTS, found.partition)
        assert found.active_host in by_host
        assert place in by_host[found.active_host].topic_partitions
        assert found.is_local is (found.active_host == own)
    lags = streams.all_local_store_partition_lags()["counts"]
    assert {TopicPartition(EVENTS, each) for each in lags} == by_host[own].topic_partitions


class Reader:
    """Asks for all keys through a driver, again and again, on a thread of its own."""

    def __init__(self, fleet: Fleet, streams: KafkaStreams) -> None:
        self._fleet, self._streams = fleet, streams
        self._over = threading.Event()
        self.right, self.not_ready, self.wrong = 0, 0, list[Any]()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join(PATIENCE_SECONDS)

    def _run(self) -> None:
        store = self._streams.store("counts", timeout=500)
        while not self._over.is_set():
            for key in self._fleet.counts:
                try:
                    found = store.get(key)
                except StoreNotReadyError:
                    self.not_ready += 1
                except Exception as error:
                    self.wrong.append(error)
                else:
                    if found is None or found.value != self._fleet.counts[key]:
                        self.wrong.append((key, found))
                    self.right += 1


def test_either_driver_answers_for_both_until_one_is_closed(fleet: Fleet) -> None:
    first, second = fleet.first, fleet.driver(1)
    try:
        hosts = [HostInfo("node", port) for port in PORTS]
        addresses = [fleet.address(number) for number in range(2)]
        wait_for(lambda: [len(each) for each in shares(first, second)] == [2, 2])
        wait_for(lambda: [ready(at) for at in addresses] == [True, True])
        assert owners(addresses[0]) == owners(addresses[1])
        assert len({driver for _, driver in owners(addresses[0]).values()}) == 1  # one process
        for streams, at in zip((first, second), addresses, strict=True):
            check_python(fleet, streams)
            check_http(fleet, at)
        check_metadata(first, *hosts)
        check_metadata(second, *reversed(hosts))
        reader = Reader(fleet, first)
    finally:
        assert second.close()
    wait_for(lambda: shares(first) == [TASKS] and ready(addresses[0]) is True)
    right = reader.right
    wait_for(lambda: reader.right > right + len(KEYS))
    reader.end()
    assert not reader.wrong
    check_python(fleet, first)
    check_http(fleet, addresses[0])
    assert [one.host_info for one in first.metadata_for_all_streams_clients()] == hosts[:1]


def test_a_driver_that_cannot_be_asked_is_named(fleet: Fleet) -> None:
    """The third has another token: its tasks are known, and what to set."""
    first, second = (
        fleet.first,
        fleet.driver(1, **{"penstock.http.token": "another-token-than-theirs"}),
    )
    try:
        wait_for(lambda: [len(each) for each in shares(first, second)] == [2, 2])
        wait_for(lambda: ready(fleet.address(0)) is True)
        store, away = first.store("counts"), None
        for key in fleet.counts:
            if not first.query_metadata_for_key("counts", key).is_local:
                away = key
                with pytest.raises(StoreNotReadyError, match="set the same 'penstock"):
                    store.get(key)
            else:
                assert store.get(key).value == fleet.counts[key]
        result = first.query(StateQueryRequest("counts", KeyQuery(away)))
        reasons = [one.failure_reason for one in result.partition_results.values()]
        assert sorted(map(str, reasons)) == ["FailureReason.NOT_PRESENT"] * 2 + ["None"] * 2
        assert FailureReason.NOT_PRESENT in reasons
    finally:
        assert second.close()
    wait_for(lambda: shares(first) == [TASKS])


def test_a_killed_driver_is_forgotten_and_its_tasks_answer_again(fleet: Fleet) -> None:
    first, at = fleet.first, fleet.address(0)
    with fleet.process() as process:
        wait_for(lambda: process.poll() is not None or len(shares(first)[0]) == 2)
        assert process.poll() is None
        wait_for(lambda: ready(at) is True)
        other = fleet.address(1)
        wait_for(lambda: ready(other) is True)
        assert len({driver for _, driver in owners(at).values()}) == 2
        check_python(fleet, first)
        check_http(fleet, at)
        check_http(fleet, other)
        reader = Reader(fleet, first)
        kill(process)
        killed_at = time.monotonic()
        wait_for(lambda: ready(at) is not True or shares(first) == [TASKS])
        wait_for(lambda: shares(first) == [TASKS] and ready(at) is True)
        took = time.monotonic() - killed_at
    right = reader.right
    wait_for(lambda: reader.right > right + len(KEYS))
    reader.end()
    assert not reader.wrong, took
    # Nobody had the tasks of the dead one for a while.
    assert reader.not_ready
    check_python(fleet, first)
    check_http(fleet, at)
    # The group may still have had a member of it when its tasks had moved.
    wait_for(lambda: len(first.metadata_for_all_streams_clients()) == 1)
