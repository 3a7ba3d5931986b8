"""Where the program runs: worker processes without Spark, the same in Java, or a Spark application.

A lane starts again what has died, as a supervisor would, and keeps what was said at each death.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from penstock._engine.kafka.local_broker import jars

JAVA_STREAMS = "org.apache.kafka:kafka-streams:4.3.1"
SIMPLE_LOGGER = "org.slf4j:slf4j-simple:1.7.36"
JAVA_OPTIONS = ("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")

ROOT = Path(__file__).parent.parent.parent
WORKERS = 2
PATIENCE_SECONDS = 90.0


@dataclass
class Place:
    """Where the program runs: a cluster, an application, folders."""

    servers: str
    app: str
    guarantee: str
    folder: Path

    @property
    def troubles(self) -> Path:
        """The folder by which user functions are asked for trouble."""
        return self.folder / "troubles"


@dataclass
class Slot:
    """A worker process that is started again when it dies."""

    number: int
    state: Path
    log: Path
    process: subprocess.Popen[bytes] | None = None
    supervised: bool = True


@dataclass(frozen=True)
class Death:
    """A process that ended, with the end of its log."""

    at: float
    code: int
    said: str


@dataclass
class ProcessLane:
    """Workers as plain processes, each with a state directory of its own."""

    name: str
    place: Place
    command: Callable[[Path], Sequence[str]]
    """State directory -> command line."""
    slots: list[Slot] = field(default_factory=list)
    deaths: list[Death] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _ended: threading.Event = field(default_factory=threading.Event)
    _supervisor: threading.Thread | None = None

    def start(self) -> None:
        """Start the workers and their supervisor."""
        self.place.troubles.mkdir(parents=True, exist_ok=True)
        for _ in range(WORKERS):
            self.add()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)
        self._supervisor.start()

    def add(self) -> Slot:
        """Start one more worker."""
        number = len(self.slots)
        state = self.place.folder / f"state-{number}"
        state.mkdir(parents=True, exist_ok=True)
        slot = Slot(number, state, self.place.folder / f"worker-{number}.log")
        with self._lock:
            self.slots.append(slot)
            self.launch(slot)
        return slot

    def launch(self, slot: Slot) -> None:
        """Start the process of a slot."""
        with slot.log.open("ab") as log:
            slot.process = subprocess.Popen(
                self.command(slot.state),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def choose(self, chance: random.Random) -> Slot:
        """Choose a worker that lives."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            living = [slot for slot in self.slots if slot.supervised and _lives(slot)]
            if living:
                return chance.choice(living)
            time.sleep(0.1)
        msg = "no worker lives"
        raise AssertionError(msg)

    def living(self) -> list[Slot]:
        """Return the workers that live."""
        return [slot for slot in self.slots if _lives(slot)]

    def send(self, slot: Slot, number: signal.Signals) -> None:
        """Send a signal to a worker."""
        if slot.process is not None:
            with suppress(ProcessLookupError):
                os.kill(slot.process.pid, number)

    def remove(self, slot: Slot, number: signal.Signals) -> int:
        """End a worker for good; return its exit code."""
        slot.supervised = False
        self.send(slot, number)
        assert slot.process is not None
        try:
            return slot.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.send(slot, signal.SIGUSR1)  # ours writes its stacks to the log, Java ends
            time.sleep(1)
            slot.process.kill()
            return slot.process.wait()

    def hold(self, slot: Slot) -> None:
        """Kill a worker and do not start it again yet."""
        self.remove(slot, signal.SIGKILL)

    def release(self, slot: Slot) -> None:
        """Start a held worker again."""
        with self._lock:
            self.launch(slot)
            slot.supervised = True

    def stop(self) -> list[str]:
        """Finish all workers; return the errors of those that failed."""
        self._ended.set()
        if self._supervisor is not None:
            self._supervisor.join(timeout=10)
        for slot in self.slots:
            self.send(slot, signal.SIGCONT)
            self.send(slot, signal.SIGTERM)
        failed = []
        for slot in self.slots:
            was_supervised = slot.supervised
            code = self.remove(slot, signal.SIGTERM)
            if was_supervised and code not in {0, -signal.SIGTERM, 128 + signal.SIGTERM}:
                failed.append(f"worker {slot.number} ended with {code}: {tail(slot.log)}")
        return failed

    def _supervise(self) -> None:
        while not self._ended.wait(0.1):
            with self._lock:
                for slot in self.slots:
                    if slot.supervised and slot.process is not None:
                        code = slot.process.poll()
                        if code is not None:
                            self.deaths.append(Death(time.monotonic(), code, tail(slot.log)))
                            self.launch(slot)


def penstock_workers(place: Place) -> ProcessLane:
    """Return the fast lane: Penstock's workers without Spark."""

    def command(state: Path) -> list[str]:
        given = [place.servers, str(state), place.app, place.guarantee, str(place.troubles)]
        return [sys.executable, "-m", "tests.chaos.worker", *given]

    return ProcessLane("workers", place, command)


def java_workers(place: Place) -> ProcessLane:
    """Return the lane of Java Kafka Streams: the twin of the program, one thread a process."""
    classes = place.folder / "classes"
    classes.mkdir(parents=True, exist_ok=True)
    libraries = os.pathsep.join(map(str, jars.resolve([JAVA_STREAMS, SIMPLE_LOGGER])))
    source = Path(__file__).parent / "java" / "Twin.java"
    subprocess.run(
        ["javac", "-nowarn", "-d", str(classes), "-cp", libraries, str(source)], check=True
    )

    def command(state: Path) -> list[str]:
        given = [place.servers, str(state), place.app, place.guarantee]
        path = os.pathsep.join([str(classes), libraries])
        return ["java", *JAVA_OPTIONS, "-cp", path, "Twin", *given]

    return ProcessLane("java", place, command)


def tail(log: Path, lines: int = 12) -> str:
    """Return the last lines of a log."""
    try:
        said = log.read_bytes()[-8000:].decode(errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(said[-lines:])


def _lives(slot: Slot) -> bool:
    return slot.process is not None and slot.process.poll() is None
