"""Two executors, each a process of its own: both work, and one that dies does not stop the other.

The session is in a process of its own, since a process has only one. It runs one application after
the other: a count, then user analytics, whose state is asked in every way there is.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from penstock._engine.http.address_file import read_addresses
from penstock._engine.http.clients.client import HttpClient
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.cli import build_parser, main
from penstock.errors import StoreNotReadyError
from tests.spark import two_executors
from tests.spark.analytics_truth import RANGES, USERS, Truth, write_events

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
PATIENCE_SECONDS = 180.0
NAME = "two-executors"
PARTITIONS = 2


class Driver:
    """The driver's process; what it last told is kept."""

    def __init__(self, bootstrap_servers: str, folder: Path) -> None:
        self.told: dict[str, Any] = {"application": "", "state": "", "workers": [], "slots": 0}
        self.state_dir = folder / "state"
        self.output = folder / "driver.log"
        with self.output.open("wb") as errors:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    str(HERE / "two_executors.py"),
                    bootstrap_servers,
                    str(self.state_dir),
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


@pytest.fixture(scope="module")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """A broker of its own: the program names its topics, and other tests run it, too."""
    with LocalBroker(tmp_path_factory.mktemp("broker")) as broker:
        yield broker


@pytest.fixture(scope="module")
def driver(kafka_broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """One driver for all tests: to start two executors takes longer than most of them."""
    _create_topics(kafka_broker.bootstrap_servers, f"{NAME}-in", f"{NAME}-out")
    made = Driver(kafka_broker.bootstrap_servers, tmp_path_factory.mktemp("driver"))
    try:
        yield made
    finally:
        code = made.close()
    assert code == 0, made.output.read_text()


def _create_topics(bootstrap_servers: str, *names: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    topics = [NewTopic(name, PARTITIONS, 1, config={"retention.ms": "-1"}) for name in names]
    for created in admin.create_topics(topics).values():
        created.result()


@pytest.fixture
def traffic(kafka_broker: LocalBroker, driver: Driver) -> Iterator[Traffic]:
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
    driver: Driver, traffic: Traffic
) -> None:
    driver.wait_for("shared", lambda: len(set(driver.owners().values())) == PARTITIONS)
    executors = {task: executor_of(pid) for task, pid in driver.owners().items()}
    assert len(set(executors.values())) == 2
    driver.wait_for("counted", lambda: len(traffic.seen) > 50)

    _kill_one(driver, traffic)

    _let_spark_take_and_give(driver)

    traffic.hold()
    driver.wait_for("all counted", lambda: len(traffic.seen) >= traffic.written)
    for counts in traffic.counts().values():
        assert counts == list(range(1, len(counts) + 1))
    assert len(traffic.seen) == traffic.written


def _kill_executor_of(worker: int) -> None:
    for pid in (executor_of(worker), parent(worker), worker):
        os.kill(pid, signal.SIGKILL)


def _kill_one(driver: Driver, traffic: Traffic) -> None:
    """Kill the executor of partition 0 while records flow: partition 1 must not feel it."""
    killed = time.monotonic()
    _kill_executor_of(driver.owners()["0_0"])
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


STALE_USERS = USERS[:16]
ANALYTICS = "user-analytics"


class Analytics:
    """User analytics in the driver, and the ways to ask it."""

    def __init__(self, driver: Driver, folder: Path, bootstrap_servers: str) -> None:
        self.driver, self._folder, self.servers = driver, folder, bootstrap_servers

    def start(self) -> None:
        self.driver.say("analytics")
        self.driver.wait_for("analytics ready", self.is_ready)

    def is_running(self) -> bool:
        told = self.driver.told
        owners = self.driver.owners()
        is_shared = len(set(owners.values())) == 2 and len(owners) == 2 * PARTITIONS
        return told["application"] == ANALYTICS and told["state"] == "RUNNING" and is_shared

    def is_ready(self) -> bool:
        """Whether both workers have tasks and every task is restored."""
        return self.is_running() and self.answers_ready()

    def answers_ready(self) -> bool:
        """Whether it says that every task has an owner and is restored."""
        with closing(self.client()) as client, suppress(StoreNotReadyError):
            return bool(client.get("/health/ready")["ready"])
        return False

    def client(self) -> HttpClient:
        return HttpClient(read_addresses(self.driver.state_dir / ANALYTICS)[0])

    def in_python(self, *, table: bool) -> Any:
        file = self._folder / f"asked-{time.monotonic_ns()}"
        file.write_text(json.dumps({"keys": USERS, "ranges": RANGES, "table": table}))
        self.driver.say(f"ask {file}")
        written = Path(f"{file}.answers")
        self.driver.wait_for("answered in Python", written.exists)
        return json.loads(written.read_text())

    def commanded(self, *words: str) -> list[dict[str, Any]]:
        """Ask by the command line; in this process, to spare a thousand starts of Python."""
        said, noted = io.StringIO(), io.StringIO()
        place = ["--state-dir", str(self.driver.state_dir), "--bootstrap-servers", self.servers]
        with redirect_stdout(said), redirect_stderr(noted):
            code = main(["query", ANALYTICS, *words, *place, "--json"])
        assert code == 0, noted.getvalue()
        return [json.loads(line) for line in said.getvalue().splitlines()]


def pairs_of(rows: Iterable[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(row["key"], row["value"]) for row in rows]


def windows_of(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, int], int]:
    return {(row["key"], row["window"]["start"]): row["value"] for row in rows}


def range_words(first: str | None, last: str) -> dict[str, str]:
    return {"to": last, "limit": "10"} | ({} if first is None else {"from": first})


def check_python(analytics: Analytics, truth: Truth, *, table: bool = False) -> None:
    told = analytics.in_python(table=table)
    assert told["together"] == truth.visits
    assert told["keys"] == truth.visits
    assert [[tuple(pair) for pair in rows] for rows in told["ranges"]] == truth.ranges
    assert {(page, start): count for page, start, count in told["windows"]} == truth.views
    if table:
        assert [tuple(pair) for pair in told["table"]] == sorted(truth.visits.items())


def check_http(analytics: Analytics, truth: Truth, users: Iterable[str] = USERS[::5]) -> None:
    with closing(analytics.client()) as client:
        everybody = client.range("visits", {"limit": "300"})
        assert pairs_of(everybody) == sorted(truth.visits.items())
        for user in users:
            assert pairs_of(client.key("visits", user, {})) == [(user, truth.visits[user])]
        found = [pairs_of(client.range("visits", range_words(*pair))) for pair in RANGES]
        assert found == truth.ranges
        assert windows_of(client.range("views", {"limit": "50"})) == truth.views


def check_command_line(analytics: Analytics, truth: Truth, *more: str) -> None:
    assert pairs_of(analytics.commanded("visits", "--all", *more)) == sorted(truth.visits.items())
    assert windows_of(analytics.commanded("views", "--all", *more)) == truth.views


def check_command_line_by_key(analytics: Analytics, truth: Truth) -> None:
    # The options of all commands are most of what a call takes, beside a start of Python.
    with patch("penstock.cli.build_parser", cache(build_parser)):
        for user in USERS:
            assert pairs_of(analytics.commanded("visits", user)) == [(user, truth.visits[user])]
        for (first, last), expected in zip(RANGES, truth.ranges, strict=True):
            bounds = ["--to", last] + ([] if first is None else ["--from", first])
            assert pairs_of(analytics.commanded("visits", *bounds)) == expected


def check_while_a_worker_dies(analytics: Analytics, truth: Truth) -> None:
    """Each answer is right or says that the store is not ready, while the standby copy answers
    where staleness is allowed; then all are right again.
    """
    driver = analytics.driver
    victim = sorted(driver.owners().items())[0][1]
    _kill_executor_of(victim)
    right, until = 0, time.monotonic() + PATIENCE_SECONDS
    copied: set[str] = set()
    with closing(analytics.client()) as client:
        while victim in driver.owners().values() or not analytics.is_ready() or right < 100:
            assert time.monotonic() < until, (right, driver.told)
            if len(copied) < len(STALE_USERS):
                copied |= answered_by_copies(client, truth, analytics)
                continue
            user = USERS[right % len(USERS)]
            try:
                found = pairs_of(client.key("visits", user, {}))
            except StoreNotReadyError:
                right = 0
                continue
            assert found == [(user, truth.visits[user])]
            right += 1
    # They have tasks of either executor.
    assert copied == set(STALE_USERS)


def answered_by_copies(client: HttpClient, truth: Truth, analytics: Analytics) -> set[str]:
    """Return the users whose visits were read while not all tasks were ready."""
    found: set[str] = set()
    for user in STALE_USERS:
        with suppress(StoreNotReadyError):
            client.offsets_behind = None
            rows = list(client.key("visits", user, {"stale_ok": "true"}))
            if not rows:  # of a copy that has just begun
                assert client.offsets_behind, f"{user} is missing in a copy that is not behind"
                continue
            assert rows[0]["value"] <= truth.visits[user]
            found.add(user)
    return set() if analytics.is_ready() else found


def check_two_drivers(analytics: Analytics, truth: Truth, folder: Path) -> None:
    """A second driver takes tasks from the first; each answers for all, and one when it is alone
    again.
    """
    second = two_executors.analytics(analytics.servers, str(folder), host="local")
    with second:
        second.start()
        analytics.driver.wait_for("two drivers", lambda: len(owners_by_driver(analytics)) == 2)
        analytics.driver.wait_for("both ready", analytics.answers_ready)
        check_http(analytics, truth)
        check_python(analytics, truth)
        visits = second.store("visits")
        found = {key: row.value for key, row in visits.get_all(USERS).items()}
        assert found == truth.visits
        ranges = [[(key, row.value) for key, row in visits.range(*pair)] for pair in RANGES]
        assert ranges == truth.ranges
    analytics.driver.wait_for("alone", lambda: len(owners_by_driver(analytics)) == 1)
    analytics.driver.wait_for("ready alone", analytics.answers_ready)
    check_http(analytics, truth)


def owners_by_driver(analytics: Analytics) -> dict[str, list[str]]:
    """Return the tasks of each driver that has some."""
    with closing(analytics.client()) as client:
        drivers = client.get("/metadata")["drivers"]
    return {one["name"]: one["tasks"] for one in drivers if one["tasks"]}


def stop(driver: Driver) -> None:
    driver.say("stop")
    driver.wait_for("stopped", lambda: driver.told["state"] == "NOT_RUNNING")


def test_the_state_is_the_same_in_every_way_through_deaths_and_restarts(
    driver: Driver, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    _create_topics(servers, "events", "user-visits", "profiles", "page-views", "alerts")
    write_events(servers)
    analytics = Analytics(driver, tmp_path, servers)
    analytics.start()
    truth = Truth(servers)
    check_python(analytics, truth, table=True)
    check_http(analytics, truth, USERS)
    check_command_line(analytics, truth)
    check_command_line_by_key(analytics, truth)

    check_while_a_worker_dies(analytics, truth)
    check_http(analytics, truth)
    check_python(analytics, truth)

    stop(driver)
    check_command_line(analytics, truth, "--program", str(HERE / "user_analytics.py"))

    analytics.start()
    check_http(analytics, truth)
    check_command_line(analytics, truth)

    check_two_drivers(analytics, truth, tmp_path / "second")
    assert Truth(servers).visits == truth.visits
