"""Two executors, each a process of its own: both work, and one that dies does not stop the other.

The session is in a process of its own, since a process has only one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from penstock._engine.kafka.local_broker.broker import LocalBroker

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
PATIENCE_SECONDS = 180.0
NAME = "two-executors"
PARTITIONS = 2


class Driver:
    """The driver's process; what it last told is kept."""

    def __init__(self, bootstrap_servers: str, folder: Path) -> None:
        self.told: dict[str, Any] = {"state": "", "workers": [], "slots": 0}
        self.output = folder / "driver.log"
        with self.output.open("wb") as errors:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    str(HERE / "two_executors.py"),
                    bootstrap_servers,
                    str(folder / "state"),
                    NAME,
                ],
                env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def owners(self) -> dict[str, int]:
        """Return the process of each task."""
        return {task: worker["pid"] for worker in self.told["workers"] for task in worker["tasks"]}

    def say(self, command: str) -> None:
        """Send it a command."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()

    def wait_for(self, what: str, true: Callable[[], bool]) -> None:
        """Wait until something is so."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not true():
            assert self.process.poll() is None, self.output.read_text()
            assert time.monotonic() < until, f"not {what}: {self.told}; {self.output.read_text()}"
            time.sleep(0.1)

    def close(self) -> int:
        """End it as a user would; give its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            return self.process.wait(timeout=90)
        finally:
            self.process.kill()
            self._listener.join(timeout=30)
            assert self.process.stdout is not None
            self.process.stdout.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                self.told = json.loads(line)


@dataclass
class Traffic:
    """Records that flow all the time, and what comes of them: time, key, count. A key begins with
    the partition that its records are in.
    """

    bootstrap_servers: str
    written: int = 0
    seen: list[tuple[float, str, int]] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _flows: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        topics = [NewTopic(f"{NAME}-{end}", PARTITIONS, 1) for end in ("in", "out")]
        for created in admin.create_topics(topics).values():
            created.result()
        self._flows.set()
        self._threads = [threading.Thread(target=run) for run in (self._write, self._read)]
        for thread in self._threads:
            thread.start()

    def hold(self) -> None:
        """Write no more."""
        self._flows.clear()
        time.sleep(0.5)

    def counts(self) -> dict[str, list[int]]:
        """Return the counts of each key, in their order."""
        counts: dict[str, list[int]] = {}
        for _, key, count in self.seen:
            counts.setdefault(key, []).append(count)
        return counts

    def times(self, partition: int, since: float) -> list[float]:
        """Return when results of a partition's records came out."""
        return [
            when for when, key, _ in self.seen if key.startswith(str(partition)) and when > since
        ]

    def close(self) -> None:
        """Stop writing and reading."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "linger.ms": 0})
        while not self._stop.wait(0.02):
            if self._flows.is_set():
                partition = self.written % PARTITIONS
                key = f"{partition} k{self.written // PARTITIONS % 5}"
                producer.produce(f"{NAME}-in", "x", key, partition=partition)
                self.written += 1
                producer.poll(0)
        producer.flush()

    def _read(self) -> None:
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap_servers,
                "group.id": f"{NAME}-reader",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
            }
        )
        consumer.subscribe([f"{NAME}-out"])
        while not self._stop.is_set():
            for message in consumer.consume(500, 0.1):
                key, value = message.key(), message.value()
                if message.error() is None and key is not None and value is not None:
                    count = int.from_bytes(value, "big")
                    self.seen.append((time.monotonic(), key.decode(), count))
        consumer.close()


@pytest.fixture
def traffic(kafka_broker: LocalBroker) -> Iterator[Traffic]:
    flowing = Traffic(kafka_broker.bootstrap_servers)
    yield flowing
    flowing.close()


def parent(pid: int) -> int:
    """Return the process that started another (Linux)."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def executor_of(worker: int) -> int:
    """Return the JVM of a Python worker: the parent of the daemon that forked it."""
    return parent(parent(worker))


def test_both_work_and_one_that_is_killed_does_not_stop_the_other(
    kafka_broker: LocalBroker, traffic: Traffic, tmp_path: Path
) -> None:
    driver = Driver(kafka_broker.bootstrap_servers, tmp_path)
    try:
        driver.wait_for("shared", lambda: len(set(driver.owners().values())) == PARTITIONS)
        executors = {task: executor_of(pid) for task, pid in driver.owners().items()}
        assert len(set(executors.values())) == 2
        driver.wait_for("counted", lambda: len(traffic.seen) > 50)

        _kill_one(driver, traffic, executors)

        _let_spark_take_and_give(driver)

        traffic.hold()
        driver.wait_for("all counted", lambda: len(traffic.seen) >= traffic.written)
        for counts in traffic.counts().values():
            assert counts == list(range(1, len(counts) + 1))
        assert len(traffic.seen) == traffic.written
    finally:
        code = driver.close()
    assert code == 0, driver.output.read_text()


def _kill_one(driver: Driver, traffic: Traffic, executors: dict[str, int]) -> None:
    """Kill the executor of partition 0 while records flow: partition 1 must not feel it."""
    worker = driver.owners()["0_0"]
    tree = [executors["0_0"], parent(worker), worker]
    killed = time.monotonic()
    for pid in tree:
        os.kill(pid, signal.SIGKILL)
    # What was committed before it died may still come out for a moment.
    settled = killed + 0.5
    driver.wait_for("taken over", lambda: len(traffic.times(0, since=settled)) > 20)
    resumed = traffic.times(0, since=settled)[0]
    meanwhile = [when for when in traffic.times(1, since=killed) if when < resumed]
    # About 25 a second are written. A paused worker would be silent as long as partition 0 was.
    assert len(meanwhile) > 10 * (resumed - killed)
    silence = max(after - before for before, after in pairwise([killed, *meanwhile, resumed]))
    assert silence < (resumed - killed) / 2


def _let_spark_take_and_give(driver: Driver) -> None:
    """Slots follow the executors, up and down."""
    driver.wait_for("two slots", lambda: driver.told["slots"] == 2)
    driver.say("kill")
    driver.wait_for("one slot", lambda: driver.told["slots"] == 1)
    driver.wait_for("one worker for all", lambda: len(set(driver.owners().values())) == 1)
    driver.say("request")
    driver.wait_for("two slots again", lambda: driver.told["slots"] == 2)
    driver.wait_for("shared again", lambda: len(set(driver.owners().values())) == PARTITIONS)
