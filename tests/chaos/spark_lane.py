"""The program on Spark: a driver with its JVM and workers, started again when the driver ends.

Workers that die are Spark's and the engine's business; the lane starts only the driver again, as a
cluster's resource manager would.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.processes import tree
from tests.chaos.lanes import PATIENCE_SECONDS, ROOT, Death, Place, tail


@dataclass
class Driver:
    """A driver process and what it told last."""

    process: subprocess.Popen[str]
    state: str = ""
    pids: list[int] = field(default_factory=list)


@dataclass
class SparkLane:
    """A Spark application; `drivers` has one, and a second while another instance runs."""

    place: Place
    name: str = "spark"
    deaths: list[Death] = field(default_factory=list)
    supervised: bool = True
    _drivers: list[Driver] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _ended: threading.Event = field(default_factory=threading.Event)
    _supervisor: threading.Thread | None = None

    @property
    def log(self) -> Path:
        """What the drivers said, their JSON left out."""
        return self.place.folder / "driver.log"

    @property
    def driver(self) -> Driver:
        """The driver of the first instance."""
        return self._drivers[0]

    def start(self) -> None:
        """Start the application and its supervisor; return when workers work."""
        self.place.troubles.mkdir(parents=True, exist_ok=True)
        self._drivers.append(self.launch("state"))
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)
        self._supervisor.start()
        self.wait_until_working()

    def launch(self, state: str) -> Driver:
        """Start a driver with a state directory of that name."""
        place = self.place
        given = [place.servers, str(place.folder / state), place.app, place.guarantee]
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.on_spark", *given, str(place.troubles)],
            cwd=ROOT,
            # A worker that crashes says so on the terminal of the driver.
            env={**os.environ, "PYTHONPATH": paths, "PYTHONFAULTHANDLER": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A session of its own, so that a kill of the driver can take its JVM along.
            start_new_session=True,
        )
        driver = Driver(process)
        threading.Thread(target=self._listen, args=(driver,), daemon=True).start()
        return driver

    def wait_until_working(self, seconds: float = 5 * PATIENCE_SECONDS) -> None:
        """Wait until the workers of the first instance work."""
        until = time.monotonic() + seconds
        while not (self.driver.state == "RUNNING" and self.driver.pids):
            assert time.monotonic() < until, f"no workers: {self.driver.state} {tail(self.log)}"
            time.sleep(0.1)

    def worker(self, chance: random.Random) -> int:
        """Choose a worker process that works."""
        self.wait_until_working()
        return chance.choice(sorted(self.driver.pids))

    def jvm(self) -> int:
        """Return the process of the driver's JVM."""
        for pid in tree(self.driver.process.pid):
            with suppress(OSError):
                if Path(f"/proc/{pid}/exe").readlink().name == "java":
                    return pid
        msg = "the driver has no JVM"
        raise AssertionError(msg)

    def kill_all(self, driver: Driver) -> None:
        """Kill a driver, its JVM and its workers."""
        for pid in [*tree(driver.process.pid), *driver.pids]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        driver.process.wait()

    def end(self, driver: Driver) -> int:
        """End an instance as a user would; return its exit code."""
        driver.process.terminate()
        try:
            return driver.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill_all(driver)
            return -signal.SIGKILL

    def stop(self) -> list[str]:
        """Finish the application; return its error if it failed."""
        if self._ended.is_set():
            return []
        self._ended.set()
        if self._supervisor is not None:
            self._supervisor.join(timeout=10)
        failed = []
        for driver in self._drivers:
            code = self.end(driver)
            if code not in {0, -signal.SIGTERM}:
                failed.append(f"the driver ended with {code}: {tail(self.log)}")
        return failed

    def _supervise(self) -> None:
        while not self._ended.wait(0.1):
            with self._lock:
                code = self.driver.process.poll()
                if code is not None and self.supervised:
                    self.deaths.append(Death(time.monotonic(), code, tail(self.log, 30)))
                    self._drivers[0] = self.launch("state")

    def _was_asked_for(self, line: str) -> bool:
        """Return whether a crash is the one that `exiting-function` asked a worker for: the driver
        tells of it when another worker has found the trace, which may be during the next fault.
        """
        asked = self.place.troubles / "abort.taken"
        if "Aborted" not in line or not asked.exists():
            return False
        asked.unlink()
        return True

    def _listen(self, driver: Driver) -> None:
        assert driver.process.stdout is not None
        for line in driver.process.stdout:
            try:
                told = json.loads(line)
                driver.state, driver.pids = told["state"], told["pids"]
            except (ValueError, TypeError, KeyError):
                with self.log.open("a") as log:
                    log.write(line)
                if "Fatal Python error" in line and not self._was_asked_for(line):
                    crash = Death(time.monotonic(), -signal.SIGABRT, tail(self.log, 30))
                    self.deaths.append(crash)
        driver.state, driver.pids = "ended", []
        driver.process.stdout.close()
