"""A Spark standalone cluster on this machine: a master and workers, each a process of its own.

A worker stands for a machine: executors run below its folder, and `STATE_DIR`, seen from there, is
a directory of this worker that outlives them. `make cluster` is the long form of the test
(`tests/spark/test_standalone.py`): executors and workers are killed for minutes.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from penstock._engine.kafka.local_broker import java
from penstock._engine.spark.class_archive import QUICK_START, archive_option

BIN = Path(sys.executable).parent
STATE_DIR = "../../state"
"""From the folder of an executor, <worker>/<application>/<executor>, to one of its worker."""
PATIENCE_SECONDS = 120.0


def shared_classes() -> str:
    """Return options with which a JVM starts quickly; not those with which it writes an archive."""
    archive = archive_option()
    return f"{archive if 'SharedArchiveFile' in archive else ''} {QUICK_START}"


class Standalone:
    """A master, and workers of one core each that can be added and killed."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.port = _free_port()
        self.master = f"spark://127.0.0.1:{self.port}"
        here = ["--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0"]
        self._start("master", "master.Master", here)
        wait_for("a master", lambda: _listens(self.port), self.log)
        for _ in range(workers):
            self.add_worker()

    def add_worker(self, host: str = "127.0.0.1") -> Path:
        """Start another worker; return its folder."""
        name = f"worker-{len(self._processes)}"
        self._start_worker(name, host)
        return self.folder / name

    def _start_worker(self, name: str, host: str = "127.0.0.1") -> None:
        folder = self.folder / name
        options = ["--host", host, "--webui-port", "0", "--cores", "1", "--memory", "1g"]
        options += ["--work-dir", str(folder), self.master]
        self._start(name, "worker.Worker", options)

    def workers(self) -> list[str]:
        """Return the names of the workers."""
        return [name for name in self._processes if name != "master"]

    def restart_worker(self, name: str) -> None:
        """Kill a worker, whose executors end, and start it again: a machine that reboots."""
        self._processes[name].kill()
        self._processes[name].wait()
        self._start_worker(name)

    def log(self) -> str:
        """Return what the processes have said."""
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def close(self) -> None:
        """Kill all processes."""
        for process in self._processes.values():
            process.kill()
            process.wait()

    def _start(self, name: str, main: str, arguments: Sequence[str]) -> None:
        home = _find_spark_home()
        command = [java.find().path, "-Xmx256m", *shared_classes().split()]
        command += ["-cp", f"{home}/jars/*", f"org.apache.spark.deploy.{main}", *arguments]
        with (self.folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                command,
                env={
                    **os.environ,
                    "SPARK_HOME": home,
                    "SPARK_LOCAL_IP": "127.0.0.1",
                    # Spark's scripts set it; without it a worker cannot start executors.
                    "SPARK_SCALA_VERSION": "2.13",
                },
                stdout=log,
                stderr=subprocess.STDOUT,
            )


class Submitted:
    """A program that was submitted to a cluster, in client mode."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._printed, self._log = folder / "printed", folder / "log"
        with self._printed.open("wb") as printed, self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [str(BIN / "spark-submit"), *command],
                cwd=folder,
                env={
                    **{name: value for name, value in os.environ.items() if "PYSPARK" not in name},
                    "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", "")]),
                    "SPARK_LOCAL_IP": "127.0.0.1",
                },
                stdout=printed,
                stderr=log,
            )

    def lines(self) -> list[str]:
        """Return the whole lines that it has printed."""
        return [
            line for line in self._printed.read_text().splitlines(keepends=True) if "\n" in line
        ]

    def said(self) -> str:
        """Return its output and Spark's log."""
        return self._printed.read_text() + self._log.read_text()

    def end(self) -> int:
        """End it as a user does; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def close(self) -> None:
        """Kill it if it still runs."""
        self.process.kill()
        self.process.wait()


def wait_for(what: str, true: Callable[[], bool], said: Callable[[], str]) -> None:
    """Wait until something is so."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until, f"not {what}: {said()[-8000:]}"
        time.sleep(0.1)


def parent(pid: int) -> int:
    """Return the process that started another (Linux)."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def kill_executor_of(worker: int) -> None:
    """Kill the JVM above a Python worker, its daemon, and the worker."""
    daemon = parent(worker)
    for pid in (parent(daemon), daemon, worker):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
