"""A real Kafka broker on this machine, without Docker: one KRaft node, on loopback only.

The broker is a JVM behind a watchdog (`child_process.py`): it ends when it is stopped and also when
its owner dies. A data directory holds all of one broker:

    broker.lock        held as long as the broker lives; says where it listens and who started it,
                       nothing while it starts and ends
    broker.log         what this start wrote
    server.properties  the settings of this start
    kafka/             Kafka's own data; a later start continues with it
    state/             local state of applications that have no other place for it

What must be fetched or made once for all brokers is in `distribution.py`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from penstock._clock import monotonic
from penstock._engine.kafka.local_broker import (
    child_process,
    class_archive,
    directory_lock,
    distribution,
    loopback,
)
from penstock._engine.kafka.local_broker.directory_lock import BrokerError, DirectoryInUseError
from penstock._engine.kafka.local_broker.distribution import KAFKA_VERSION, Distribution
from penstock._engine.kafka.local_broker.jars import Progress
from penstock._engine.kafka.local_broker.java import collector_options, may_archive
from penstock._engine.state.files.private_files import open_private

# Internal topics of one copy and few partitions; a first consumer that does not wait for others.
_SETTINGS: Mapping[str, object] = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAINTEXT",
    # Relative, because Kafka reads a list here: an absolute path could hold a comma.
    "log.dirs": "kafka",
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": 0,
    # On one machine a member that says nothing for a second may be taken for dead, if it wishes.
    "group.min.session.timeout.ms": 1000,
    "offsets.topic.num.partitions": 4,
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.num.partitions": 4,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    # What a killed program left open is looked for each second, not every ten.
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000,
    "share.coordinator.state.topic.num.partitions": 4,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    # Kafka deletes records by their timestamps, and examples have timestamps of long ago.
    "log.retention.ms": -1,
    # After a crash the controller takes the new broker only when the old one's session is over.
    "broker.session.timeout.ms": 5000,
    "broker.heartbeat.interval.ms": 1000,
    # Twice a second the controller would write a record that says nothing, and wait for the disk.
    "metadata.max.idle.interval.ms": 0,
    # The cleaner takes this at once and for good; Kafka's default of 128 MB is for big brokers.
    "log.cleaner.dedupe.buffer.size": 16 << 20,
    "num.network.threads": 2,
    "num.io.threads": 4,
}

# Measured on two cores, time until ready and CPU of it: 6.7 s and 7 s with the defaults of Java and
# of Kafka's log, 2.7 s and 3 s with these, 1.4 s and 2 s with the class archive. A million records
# in and out cost half the CPU, too; only a broker that is busy for long would gain by the second
# compiler: jvm_options=["-XX:TieredStopAtLevel=4"].
_JVM_OPTIONS = (
    "-Xmx512m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djava.awt.headless=true",
    # The JVM's own log: it complains about class archives that it can do without.
    "-Xlog:disable",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS",
    "-Dorg.slf4j.simpleLogger.showThreadName=false",
)

_READY_SECONDS = 60.0
_COORDINATORS_SECONDS = 5.0
_POLL_SECONDS = 0.05
_GRACE_SECONDS = 30.0

# Another program may take a port between our choosing it and Kafka's listening there.
_ATTEMPTS = 3

_LOG_TAIL_LINES = 8
_ENDED_BY_SIGTERM = 128 + signal.SIGTERM


def print_to_stderr(text: str) -> None:
    """Say what takes time."""
    print(text, file=sys.stderr, flush=True)


def default_data_dir(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the default data directory of a user's broker."""
    if own := environment.get("PENSTOCK_HOME"):
        return Path(own).expanduser() / "broker"
    if shared := environment.get("XDG_STATE_HOME"):
        return Path(shared).expanduser() / "penstock" / "broker"
    return Path.home() / ".local" / "state" / "penstock" / "broker"


class LocalBroker:
    """A Kafka broker that this process owns: `with LocalBroker("data") as broker: ...`.

    It listens on 127.0.0.1, on `port` or on a free one, which it keeps when it is started again.
    `settings` are Kafka's broker settings, on top of ours; `jvm_options` likewise, the last of two
    equal ones counts. A broker that is not stopped ends with this process.

    ```python
    with LocalBroker("data") as broker:
        broker.create_topic("orders", partitions=4)
        print(broker.bootstrap_servers)
    ```
    """

    def __init__(
        self,
        data_dir: Path | str,
        port: int | None = None,
        *,
        settings: Mapping[str, object] | None = None,
        jvm_options: Sequence[str] = (),
        progress: Progress = print_to_stderr,
    ) -> None:
        self.data_dir = Path(data_dir).expanduser().absolute()
        self._port = port
        self._settings = dict(settings or {})
        self._jvm_options = tuple(jvm_options)
        self._progress = progress
        self._kafka: Distribution | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._announced: str | None = None

    @property
    def port(self) -> int:
        """Where it listens.

        Raises:
            BrokerError: it has no port yet.
        """
        if self._port is None:
            msg = "the broker has no port yet; start it or give it one: LocalBroker(..., port=9092)"
            raise BrokerError(msg)
        return self._port

    @property
    def bootstrap_servers(self) -> str:
        """What clients want to know: "127.0.0.1:9092"."""
        return f"{loopback.HOST}:{self.port}"

    @property
    def log_path(self) -> Path:
        """What the broker wrote since it was last started."""
        return self.data_dir / "broker.log"

    def start(self) -> None:
        """Start the broker and return when it takes transactions and consumer groups.

        Raises:
            DirectoryInUseError: another broker has the data directory.
            StreamsError: no Java, no jars, the port is taken, a file cannot be written, or Kafka
                did not start.
        """
        if self._process is not None:
            msg = f"the broker at {self.bootstrap_servers} runs already; stop it first"
            raise BrokerError(msg)
        self._refuse_taken_port()  # already here: fetching may take minutes
        self._kafka = distribution.fetch(self._progress)
        for attempt in range(1, _ATTEMPTS + 1):
            self._refuse_taken_port()
            some_port, controller_port = loopback.free_ports(2)
            port = self._port or some_port
            try:
                self._spawn(self._kafka, port, controller_port)
                self._await_ready(port)
                self._announce(port)
            except _PortLostError as error:
                self.kill()
                if attempt == _ATTEMPTS:
                    raise BrokerError(str(error)) from error
            except BaseException:
                self.kill()
                raise
            else:
                return

    def stop(self) -> None:
        """Stop the broker gracefully; its data stays. Does nothing if it does not run."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        self._take_back_announcement()
        process.stdin.close()
        try:
            process.wait(_GRACE_SECONDS + 5)
        except subprocess.TimeoutExpired:
            _kill(process)
        made = self._new_class_archive
        if process.returncode == _ENDED_BY_SIGTERM and made.exists() and self._kafka is not None:
            class_archive.keep(made, self._kafka.class_archive)

    def kill(self) -> None:
        """End the broker as a crash would (SIGKILL); its data stays as it is at this moment."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            self._take_back_announcement()
            _kill(process)
            process.stdin.close()

    def wait(self) -> None:
        """Return when the broker is stopped by another thread.

        Raises:
            BrokerError: it ended by itself.
        """
        process = self._process
        if process is not None:
            code = process.wait()
            if self._process is process:
                raise BrokerError(self._epitaph(f"ended with exit code {code}"))

    def create_topic(
        self, name: str, partitions: int = 1, config: Mapping[str, str] | None = None
    ) -> None:
        """Create a topic of one copy."""
        # Here and not above: `penstock broker` starts without loading a client.
        from confluent_kafka.admin import AdminClient  # noqa: PLC0415
        from confluent_kafka.cimpl import NewTopic  # noqa: PLC0415

        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        topic = NewTopic(name, partitions, 1, config=dict(config or {}))
        for created in admin.create_topics([topic]).values():
            created.result()
        # The controller answers; the broker itself may learn of the topic later.
        deadline = monotonic() + _READY_SECONDS
        while name not in admin.list_topics(timeout=_READY_SECONDS).topics:
            if monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _announce(self, port: int) -> None:
        with self._writing():
            servers = f"{loopback.HOST}:{port}"
            self._announced = directory_lock.announce(self.data_dir, servers)
        self._port = port

    def _take_back_announcement(self) -> None:
        """Say no longer where the broker listens, before it ends: another process would take a
        broker that still answers for one that goes on.
        """
        announced, self._announced = self._announced, None
        if announced is not None:
            directory_lock.take_back(self.data_dir, announced)

    @property
    def _new_class_archive(self) -> Path:
        return self.data_dir / "classes.jsa"

    def _refuse_taken_port(self) -> None:
        if self._port is not None and not loopback.is_free(self._port):
            holder = loopback.holder(self._port) or "another program"
            place = f"port {self._port} of {loopback.HOST}"
            msg = f"{place} is taken by {holder}; stop it or use another port"
            raise BrokerError(msg)

    def _spawn(self, kafka: Distribution, port: int, controller_port: int) -> None:
        lock = directory_lock.take(self.data_dir)
        try:
            self._write_files(kafka, port, controller_port)
            jvm = (
                *_JVM_OPTIONS,
                *collector_options(*self._jvm_options),
                *self._class_archive_options(kafka),
                *self._jvm_options,
            )
            program = kafka.command("kafka.Kafka", "server.properties", jvm=jvm)
            with os.fdopen(self._open_log(), "wb") as log:
                self._process = subprocess.Popen(
                    child_process.command(program, os.getpid(), _GRACE_SECONDS, lock),
                    cwd=self.data_dir,
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    # A Ctrl-C in the terminal is for the owner, who then stops the broker.
                    start_new_session=True,
                    # The watchdog holds the lock until the JVM has ended, even if the owner has
                    # died.
                    pass_fds=[lock],
                )
        finally:
            os.close(lock)

    def _write_files(self, kafka: Distribution, port: int, controller_port: int) -> None:
        """Write what Kafka finds at its start: its data, if it has none yet, and its settings."""
        listeners = {
            "listeners": f"PLAINTEXT://{loopback.HOST}:{port},"
            f"CONTROLLER://{loopback.HOST}:{controller_port}",
            "advertised.listeners": f"PLAINTEXT://{loopback.HOST}:{port}",
            "controller.quorum.voters": f"1@{loopback.HOST}:{controller_port}",
        }
        settings = {**_SETTINGS, **listeners, **self._settings}
        with self._writing():
            kafka.format(self.data_dir / "kafka")
            distribution.write_properties(self.data_dir / "server.properties", settings)
            self._new_class_archive.unlink(missing_ok=True)

    def _open_log(self) -> int:
        with self._writing():
            return open_private(self.log_path, os.O_TRUNC)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn failures to write to the data directory into errors that say what to do."""
        try:
            yield
        except OSError as error:
            place = error.filename or self.data_dir
            msg = (
                f"{place} cannot be written ({error.strerror}); make it possible, or use another "
                "data directory"
            )
            raise BrokerError(msg) from error

    def _class_archive_options(self, kafka: Distribution) -> list[str]:
        if not may_archive(*self._jvm_options):
            return []
        if kafka.class_archive.exists():
            return [f"-XX:SharedArchiveFile={kafka.class_archive}"]
        # Written when it ends, which then takes some seconds longer, once.
        return [f"-XX:ArchiveClassesAtExit={self._new_class_archive}"]

    def _await_ready(self, port: int) -> None:
        deadline = monotonic() + _READY_SECONDS
        while not loopback.broker_answers(port):
            self._check_alive()
            if monotonic() > deadline:
                trouble = f"was not ready after {_READY_SECONDS:.0f} s"
                raise BrokerError(self._epitaph(trouble))
            time.sleep(_POLL_SECONDS)
        self._check_alive()
        # A client that comes before them waits for seconds; it would work, so we do not insist.
        deadline = monotonic() + _COORDINATORS_SECONDS
        while not loopback.coordinators_answer(port) and monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def _check_alive(self) -> None:
        if self._process is None or self._process.poll() is None:
            return
        if self._kafka is not None and self._process.returncode > 128:
            # Java itself has crashed: it may be the archive, which comes back at no great cost.
            with suppress(OSError):
                self._kafka.class_archive.unlink(missing_ok=True)
        said = self.log_path.read_text(errors="replace")
        epitaph = self._epitaph(f"ended at its start with exit code {self._process.returncode}")
        if "Address already in use" in said:
            raise _PortLostError(epitaph)
        if "Failed to acquire lock" in said:
            raise DirectoryInUseError(directory_lock.in_use(self.data_dir, "another Kafka"), None)
        raise BrokerError(epitaph)

    def _epitaph(self, trouble: str) -> str:
        return f"Kafka {KAFKA_VERSION} {trouble}; {_tail(self.log_path)}"


def running_broker(data_dir: Path | str | None = None) -> str | None:
    """Return the bootstrap servers of the broker that runs in a data directory, None if none."""
    home = Path(data_dir or default_data_dir()).expanduser().absolute()
    if not (home / "broker.lock").exists():
        return None
    try:
        os.close(directory_lock.take(home))
    except DirectoryInUseError as error:
        servers = error.bootstrap_servers
        if servers and loopback.broker_answers(int(servers.rpartition(":")[2])):
            return servers
    return None


def erase(data_dir: Path | str) -> None:
    """Delete all topics and records of the broker in `data_dir`, if there is one.

    Raises:
        DirectoryInUseError: it is running.
        BrokerError: the directory holds something else.
    """
    home = Path(data_dir).expanduser().absolute()
    data, doomed = home / "kafka", home / "kafka.deleted"
    if not data.exists():
        return
    is_formatted = distribution.is_formatted(data)
    if not is_formatted and not distribution.is_begun(data):
        msg = f"{data} is not the data of a broker and is left alone; use another data directory"
        raise BrokerError(msg)
    lock = directory_lock.take(home)
    try:
        # Renamed first, so that an interruption leaves no half of a cluster.
        shutil.rmtree(doomed, ignore_errors=True)
        data.rename(doomed)
        shutil.rmtree(doomed)
        if is_formatted:  # else no broker has run here, and the folder is of something else
            shutil.rmtree(home / "state", ignore_errors=True)
    finally:
        os.close(lock)


class _PortLostError(BrokerError):
    """Kafka found one of its ports taken."""


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the JVM and wait until it is gone, its port and its files free."""
    process.send_signal(child_process.KILL)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        # The watchdog leads a session of its own, with the JVM in it.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    telling = [line for line in lines if line and not line.startswith(("\tat ", "\t..."))]
    if not telling:
        return f"its log {log} is empty"
    end = "\n  ".join(telling[-_LOG_TAIL_LINES:])
    return f"its log {log} ends with\n  {end}"
