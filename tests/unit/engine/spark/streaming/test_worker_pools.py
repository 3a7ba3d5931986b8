"""Names of worker pools; tests/spark/test_session.py counts the daemons."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any, cast

import pytest

from penstock._engine.spark.streaming import worker_pools
from penstock._engine.spark.streaming.worker_pools import WorkerPool


class Context:
    """A SparkContext as far as a pool needs one."""

    def __init__(self, master: str = "spark://host:7077") -> None:
        self.master = master


def name_of(pool: WorkerPool) -> str:
    """Return the variable by which Spark tells a pool from others."""
    (name,) = pool.variables.values()
    return name


def test_on_a_cluster_a_name_is_used_again_when_the_workers_of_its_last_run_are_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr(worker_pools, "monotonic", lambda: now)
    monkeypatch.setattr(worker_pools, "_free", [])
    context: Any = Context()
    first, second = WorkerPool(), WorkerPool()
    assert name_of(first) != name_of(second)
    first.end(context)
    assert name_of(WorkerPool()) not in {name_of(first), name_of(second)}
    now += 91
    assert name_of(WorkerPool()) == name_of(first)
    assert name_of(WorkerPool()) != name_of(first)


def test_other_processes_are_not_taken_for_daemons() -> None:
    pool = WorkerPool()
    environment = {**os.environ, "PENSTOCK_RUN": name_of(pool)}
    commands = [
        [sys.executable, "-c", "input()"],
        [sys.executable, "-c", "input()", "pyspark.daemon"],
    ]
    first, second = (
        subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) for command in commands
    )
    with first, second:
        pool.end(cast("Any", Context("local[2]")))
        assert second.wait() == -signal.SIGTERM
        assert first.poll() is None
        first.communicate(b"\n")
        assert first.returncode == 0
