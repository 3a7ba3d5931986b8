"""A broker that goes away in the middle of the work: the worker endures it, or says what it tried.

The broker is this module's own, since it is killed.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker import transactions
from penstock._engine.kafka.worker.reachability import Reachability
from penstock._engine.kafka.worker.transactions import AtLeastOnce, ExactlyOnce
from penstock._engine.kafka.worker.worker import Worker, open_worker
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import LocalBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT, LONG = serdes.string(), serdes.long()
PATIENCE_SECONDS = 300.0

guarantees = pytest.mark.parametrize(
    "guarantee", ["exactly_once_v2", pytest.param("at_least_once", marks=pytest.mark.long)]
)


@pytest.fixture(scope="module")
def mortal_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """Return a broker that may be killed; it soon forgets that it was there before."""
    settings = {"broker.session.timeout.ms": 2000}
    with LocalBroker(tmp_path_factory.mktemp("mortal"), settings=settings) as broker:
        yield broker


def counting(name: str) -> Topology:
    """Count by key."""
    builder = StreamsBuilder()
    (
        builder.stream(f"{name}-in", Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(f"{name}-out", Produced(TEXT, LONG))
    )
    return builder.build()


class Application:
    """One worker, and the counts that it has committed for the key `k`."""

    def __init__(self, worker: Worker, broker: LocalBroker, name: str) -> None:
        self.worker = worker
        self.committed: list[int] = []
        self._broker = broker
        self._name = name

    def write(self, count: int) -> None:
        """Write records."""
        settings = {"bootstrap.servers": self._broker.bootstrap_servers, "log_level": 0}
        producer = Producer(settings)
        for _ in range(count):
            producer.produce(f"{self._name}-in", "x", "k")
        assert producer.flush(60) == 0

    def await_end_of_transaction(self) -> None:
        """Return when the last commit is through on the broker, which answers before it is.

        A lone broker that is killed in between can forget the end of the transaction for the
        group's offsets: they cannot be read any more (docs/decisions/0003).
        """
        settings = {
            "bootstrap.servers": self._broker.bootstrap_servers,
            "group.id": self._name,
            "isolation.level": "read_committed",
        }
        consumer = Consumer(settings)
        (place,) = consumer.committed([TopicPartition(f"{self._name}-in", 0)], timeout=60)
        consumer.close()
        assert place.offset > 0

    def visible(self, count: int) -> list[int]:
        """Return the counts that a read_committed consumer sees, at least so many."""
        settings = {
            "bootstrap.servers": self._broker.bootstrap_servers,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
        }
        consumer = Consumer(settings)
        consumer.assign([TopicPartition(f"{self._name}-out", 0, 0)])
        counts: list[int] = []
        until = time.monotonic() + PATIENCE_SECONDS
        while len(counts) < count and time.monotonic() < until:
            counts += [
                int.from_bytes(message.value() or b"", "big")
                for message in consumer.consume(count, 1)
                if message.error() is None
            ]
        consumer.close()
        return counts

    def write_until_uncommitted(self) -> None:
        """Write records until the worker has one that it did not commit in the same step."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not self.worker._tasks.uncommitted():
            assert time.monotonic() < until, self.committed
            self.write(1)
            self.worker.step()

    def work_until(self, true: Callable[[], bool]) -> None:
        """Step the worker until a condition is true."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not true():
            assert time.monotonic() < until, self.committed
            self.worker.step()


@contextmanager
def running(
    broker: LocalBroker, name: str, guarantee: str, folder: Path, **settings: object
) -> Iterator[Application]:
    """Yield a worker; it is abandoned in the end."""
    for end in ("in", "out"):
        broker.create_topic(f"{name}-{end}")
    config = {
        "application.id": name,
        "bootstrap.servers": broker.bootstrap_servers,
        "state.dir": str(folder),
        "processing.guarantee": guarantee,
        "statestore.cache.max.bytes": 0,
        "commit.interval.ms": 500,
        "producer.transaction.timeout.ms": 3000,
        **settings,
    }
    blueprint = prepare(counting(name), StreamsConfig(config))
    with TaskHost(blueprint) as host:

        def committed(outputs: list[Output]) -> None:
            values = [value for topic, _, _, value, *_ in outputs if topic == f"{name}-out"]
            application.committed.extend(int.from_bytes(value or b"", "big") for value in values)

        application = Application(open_worker(blueprint, host, committed), broker, name)
        try:
            yield application
        finally:
            application.worker.abandon()


@guarantees
def test_a_worker_goes_on_when_the_broker_is_back(
    guarantee: str, mortal_broker: LocalBroker, tmp_path: Path
) -> None:
    with running(mortal_broker, f"back-{guarantee}", guarantee, tmp_path) as application:
        application.write(10)
        application.work_until(lambda: len(application.committed) == 10)
        if guarantee == "exactly_once_v2":
            application.await_end_of_transaction()
        application.write(10)
        application.work_until(application.worker._tasks.uncommitted)
        mortal_broker.kill()
        # Longer than a transaction or a delivery may last.
        back = threading.Timer(5, mortal_broker.start)
        back.start()
        application.work_until(lambda: not back.is_alive() and application.committed[-1:] >= [20])
        application.write(10)
        application.work_until(lambda: application.committed[-1:] >= [30])
        if guarantee == "exactly_once_v2":
            assert application.visible(30) == list(range(1, 31))


@pytest.mark.parametrize("stop", [signal.SIGSTOP, signal.SIGKILL])
def test_an_idle_application_notices_that_its_broker_is_away(
    stop: signal.Signals, mortal_broker: LocalBroker, tmp_path: Path
) -> None:
    """Nothing is read or written, and a stopped broker does not even close its connections."""
    name = f"idle-{stop.name.lower()}"
    with running(mortal_broker, name, "exactly_once_v2", tmp_path) as application:
        application.work_until(
            lambda: list(application.worker.figures.tasks().values()) == ["running"]
        )
        worker = application.worker
        reachability = Reachability(worker.admin, worker._blueprint.task_topic, pause_seconds=0.2)
        try:
            assert reachability.away_seconds() is None
            if stop is signal.SIGSTOP:
                assert mortal_broker._process is not None
                group = mortal_broker._process.pid
                os.killpg(group, signal.SIGSTOP)
            else:
                mortal_broker.kill()
            application.work_until(lambda: reachability.away_seconds() is not None)
            if stop is signal.SIGSTOP:
                os.killpg(group, signal.SIGCONT)
            else:
                mortal_broker.start()
            application.work_until(lambda: reachability.away_seconds() is None)
        finally:
            reachability.close()


@guarantees
def test_a_broker_that_does_not_come_back_is_told_of_after_the_task_timeout(
    guarantee: str, mortal_broker: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"task.timeout.ms": 4000}
    name = f"gone-{guarantee}"
    with running(mortal_broker, name, guarantee, tmp_path, **settings) as application:
        application.write_until_uncommitted()
        mortal_broker.kill()
        # It does not answer however long each attempt waits.
        for limit in ("_FLUSH_SECONDS", "_SEND_SECONDS", "_PREPARE_SECONDS", "_ABORT_SECONDS"):
            monkeypatch.setattr(transactions, limit, 1.0)
        try:
            told = re.compile(r"could not go on for \d+ s.*'task.timeout.ms' allows; tried \d+ tim")
            with pytest.raises(StreamsError, match=told):
                application.work_until(lambda: False)
        finally:
            mortal_broker.start()


def test_a_commit_that_a_rebalance_refuses_is_made_later_and_drops_no_work(
    mortal_broker: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At least once: what was written cannot be taken back, so work that is dropped is doubled."""
    refusals = [KafkaError.REBALANCE_IN_PROGRESS, KafkaError.ILLEGAL_GENERATION]

    class Refusing:
        """Stands for the consumer of the group while it changes."""

        def __init__(self, consumer: object) -> None:
            self._consumer = consumer

        def consumer_group_metadata(self) -> object:
            return self._consumer.consumer_group_metadata()  # type: ignore[attr-defined]

        def commit(self, **arguments: object) -> None:
            if refusals:
                raise KafkaException(KafkaError(refusals.pop()))
            self._consumer.commit(**arguments)  # type: ignore[attr-defined]

    with running(mortal_broker, "refused", "at_least_once", tmp_path) as application:
        committer = application.worker._committer
        assert isinstance(committer, AtLeastOnce)
        member = committer._member
        refused = SimpleNamespace(
            consumer=Refusing(member.consumer),
            session_seconds=member.session_seconds,
            prove_ownership=member.prove_ownership,
        )
        monkeypatch.setattr(committer, "_member", refused)
        application.write(10)
        application.work_until(
            lambda: not refusals and bool(application.committed) and not _uncommitted(application)
        )
        assert application.committed == list(range(1, 11))
        application.write(1)
        application.work_until(lambda: len(application.committed) > 10)
        assert application.committed[-1] == 11


def test_a_client_that_never_answers_is_left_behind(
    mortal_broker: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As librdkafka does when it has lost the group's coordinator, whatever limit it is given."""
    released = threading.Event()

    class Stuck:
        """Stands for the producer in that state."""

        def __init__(self, producer: object) -> None:
            self._producer = producer

        def send_offsets_to_transaction(self, *arguments: object) -> None:
            released.wait()

        def __getattr__(self, name: str) -> object:
            return getattr(self._producer, name)

    monkeypatch.setattr(transactions, "_SEND_SECONDS", 0.1)
    monkeypatch.setattr(transactions, "_LEFT_BEHIND_SECONDS", 0.1)
    try:
        with running(mortal_broker, "stuck", "exactly_once_v2", tmp_path) as application:
            committer = application.worker._committer
            assert isinstance(committer, ExactlyOnce)
            monkeypatch.setattr(committer, "_producer", Stuck(committer._producer))
            application.write(10)
            application.work_until(lambda: application.worker._committer is not committer)
            monkeypatch.undo()
            application.work_until(lambda: len(application.committed) == 10)
            assert application.committed == list(range(1, 11))
    finally:
        released.set()


def _uncommitted(application: Application) -> bool:
    return application.worker._tasks.uncommitted()


class Askers:
    """Instances of one application as processes that also ask all the time (`asking.py`)."""

    def __init__(self, servers: str, folder: Path, name: str, count: int) -> None:
        self._rounds = [0] * count
        self._errors = [folder / f"{number}.err" for number in range(count)]
        self._processes: list[subprocess.Popen[bytes]] = []
        self._counters: list[threading.Thread] = []
        for number, error in enumerate(self._errors):
            given = [servers, str(folder / f"state-{number}"), name]
            with error.open("wb") as file:
                process = subprocess.Popen(
                    [sys.executable, "-m", "tests.broker.asking", *given],
                    cwd=Path(__file__).parents[2],
                    stdout=subprocess.PIPE,
                    stderr=file,
                )
            self._processes.append(process)
            self._counters.append(threading.Thread(target=self._count, args=(number,)))
            self._counters[-1].start()

    def _count(self, number: int) -> None:
        stdout = self._processes[number].stdout
        assert stdout is not None
        with stdout:
            for _ in stdout:
                self._rounds[number] += 1

    def wait_for_a_round(self) -> None:
        """Wait until each has asked everything once more."""
        begun, until = list(self._rounds), time.monotonic() + PATIENCE_SECONDS
        while any(now == then for now, then in zip(self._rounds, begun, strict=True)):
            self.check_alive()
            assert time.monotonic() < until, self._said()
            time.sleep(0.05)

    def check_alive(self) -> None:
        codes = [process.poll() for process in self._processes]
        assert codes == [None] * len(codes), self._said()

    def stop(self) -> list[int]:
        """End all; return their exit codes."""
        for process in self._processes:
            process.terminate()
        codes = []
        for process in self._processes:
            try:
                codes.append(process.wait(PATIENCE_SECONDS))
            finally:
                process.kill()
        for counter in self._counters:
            counter.join()
        return codes

    def _said(self) -> list[str]:
        ends = [error.read_text(errors="replace")[-2000:] for error in self._errors]
        return [
            f"{process.poll()}, {rounds} rounds: {end}"
            for process, rounds, end in zip(self._processes, self._rounds, ends, strict=True)
        ]


def _restart(broker: LocalBroker) -> None:
    broker.stop()
    broker.start()


def _kill(broker: LocalBroker) -> None:
    broker.kill()
    broker.start()


def _stall(broker: LocalBroker) -> None:
    assert broker._process is not None
    group = os.getpgid(broker._process.pid)
    os.killpg(group, signal.SIGSTOP)
    time.sleep(1.5)  # longer than `asking.py` waits for an answer
    os.killpg(group, signal.SIGCONT)


@pytest.mark.parametrize(
    ("instances", "times"),
    [(1, 5), pytest.param(2, 50, marks=[pytest.mark.long, pytest.mark.timeout(7200)])],
)
def test_no_request_ends_a_process_when_its_broker_comes_back(
    instances: int, times: int, mortal_broker: LocalBroker, tmp_path: Path
) -> None:
    """librdkafka can end the process: its issue 4605, and decision 0011."""
    name = f"asks-{times}"
    for topic in (f"{name}-in", f"{name}-out"):
        mortal_broker.create_topic(topic, 2)
    askers = Askers(mortal_broker.bootstrap_servers, tmp_path, name, instances)
    try:
        askers.wait_for_a_round()
        for fault in [_restart, _kill, _stall] * times:
            fault(mortal_broker)
            askers.wait_for_a_round()
    finally:
        codes = askers.stop()
    assert codes == [0] * instances
