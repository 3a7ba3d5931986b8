"""Pools of Python workers: each run of an application has its own, and leaves none behind.

Spark keeps workers with different environment variables apart, and forks each pool's workers from
Python daemons (45 MB each, three or four to a run) that it ends with the session only. In a session
with many runs they would pile up. In local mode the daemons of a run therefore end when it closes.

On a cluster, a pool's name is reused, and with it the daemons; but not before Spark has ended the
idle workers of the pool, since those have imported the modules of the last run.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pyspark import SparkContext

from penstock._clock import monotonic, new_id
from penstock._engine.spark import worker_daemon

_VARIABLE = "PENSTOCK_RUN"
_PROCESSES = Path("/proc")
_COMMANDS = (b"pyspark.daemon", worker_daemon.MODULE.encode())
"""Of daemons: Spark's own, and ours."""

# Spark ends a worker after a minute without work, and looks every ten seconds.
_WORKERS_GONE_SECONDS = 90.0

_lock = threading.Lock()
_entering = threading.Lock()
_free: list[tuple[float, str]] = []


class WorkerPool:
    """The pool of one run, from its start to its end."""

    def __init__(self) -> None:
        self._name = _take_name(monotonic())

    @contextmanager
    def entered(self, context: SparkContext) -> Iterator[None]:
        """Sources that are registered in this context use this pool: they share no workers with
        other Python jobs of the session. One run at a time may be in it: a run in the pool of
        another would lose its workers when that ends.
        """
        with _entering:
            context.environment[_VARIABLE] = self._name
            try:
                yield
            finally:
                context.environment.pop(_VARIABLE, None)

    def end(self, context: SparkContext) -> None:
        """End the daemons, whose workers must have finished, or keep the pool for another run."""
        is_local = str(context.master).split("[")[0] == "local"
        found = _daemons(self._name) if is_local else []
        for daemon in found:
            with suppress(ProcessLookupError):
                os.kill(daemon, signal.SIGTERM)
        if not found:
            with _lock:
                _free.append((monotonic(), self._name))


def _take_name(now: float) -> str:
    with _lock:
        if _free and now - _free[0][0] > _WORKERS_GONE_SECONDS:
            return _free.pop(0)[1]
    return new_id()


def _daemons(name: str) -> list[int]:
    """Return the processes of this machine that fork a pool's workers; none without /proc."""
    parents = {}
    for process in _PROCESSES.glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            variables = (process / "environ").read_bytes().split(b"\0")
            command = (process / "cmdline").read_bytes()
            if f"{_VARIABLE}={name}".encode() in variables and any(
                one in command for one in _COMMANDS
            ):
                # After the name in parentheses, which may have any character: state, parent.
                status = (process / "stat").read_text().rpartition(")")[2].split()
                parents[int(process.name)] = int(status[1])
    # Workers are forks of a daemon, with the same command and variables.
    return [process for process, parent in parents.items() if parent not in parents]
