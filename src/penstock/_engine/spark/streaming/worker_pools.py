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
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.udf import _wrap_function

from penstock._clock import monotonic, new_id
from penstock._engine.spark import worker_daemon

_VARIABLE = "PENSTOCK_RUN"
_JAVA_SOURCE = "org.apache.spark.sql.execution.datasources.v2.python.UserDefinedPythonDataSource"
_PROCESSES = Path("/proc")
_COMMANDS = (b"pyspark.daemon", worker_daemon.MODULE.encode())
"""Of daemons: Spark's own, and ours."""

# Spark ends a worker after a minute without work, and looks every ten seconds.
_WORKERS_GONE_SECONDS = 90.0

_lock = threading.Lock()
_free: list[tuple[float, str]] = []


class WorkerPool:
    """The pool of one run, from its start to its end."""

    def __init__(self) -> None:
        self._name = _take_name(monotonic())

    @property
    def variables(self) -> dict[str, str]:
        """The environment by which Spark tells the workers of this pool from others."""
        return {_VARIABLE: self._name}

    def register(self, session: SparkSession, source: type[DataSource]) -> None:
        """Register a source whose processes are of this pool: they share no workers with other
        Python jobs of the session.

        PySpark would take the environment from the context, which all threads share: queries that
        start at this moment would be in the pool as well, and lose their workers with it.
        """
        jvm: Any = session._jvm
        sessions: Any = session._jsparkSession
        wrapped: Any = _wrap_function(session.sparkContext, source)
        wrapped.envVars().putAll(self.variables)
        made = getattr(jvm, _JAVA_SOURCE)(wrapped)
        sessions.dataSource().registerPython(source.name(), made)

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
