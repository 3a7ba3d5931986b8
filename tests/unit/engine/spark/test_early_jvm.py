"""A JVM that starts meanwhile: taken, abandoned, failed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from penstock._engine.spark.early_jvm import EarlyJvm

REFUSED = "early.abandon()\n"
# A thread whose `join` was interrupted says of itself that it has ended.
INTERRUPTED = """
import signal
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    early.take()
except KeyboardInterrupt:
    early.abandon()
"""


class FakeGateway:
    """Stands for the connection to a JVM, and its process."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self.over = threading.Event()
        self.proc = self.stdin = self

    def shutdown(self) -> None:
        self.ended.append("shutdown")

    def close(self) -> None:
        self.ended.append("close")

    def wait(self, _seconds: float) -> None:
        self.ended.append("wait")
        self.over.set()


def test_a_jvm_that_is_taken_stays() -> None:
    gateway = FakeGateway()
    early = EarlyJvm(lambda _options: gateway)
    assert early.take() is gateway
    early.abandon()
    assert gateway.ended == []


def test_a_jvm_that_is_not_needed_ends_also_if_it_comes_later() -> None:
    gateway, launched = FakeGateway(), threading.Event()

    def launch(_options: dict[str, Any]) -> Any:
        launched.wait(10)
        return gateway

    early = EarlyJvm(launch)
    early.abandon()
    launched.set()
    assert gateway.over.wait(10)
    assert gateway.ended == ["shutdown", "close", "wait"]


@pytest.mark.parametrize("comes_later", [False, True])
def test_the_folder_of_a_jvm_that_is_not_needed_goes_when_it_has_ended(
    *, comes_later: bool
) -> None:
    gateway, launched, forgotten = FakeGateway(), threading.Event(), threading.Event()
    ended: list[str] = []

    def launch(_options: dict[str, Any]) -> Any:
        assert launched.wait(60)
        return gateway

    def forget() -> None:
        ended.extend(gateway.ended)
        forgotten.set()

    early = EarlyJvm(launch, forget=forget)
    if comes_later:
        early.abandon()
        launched.set()
    else:
        launched.set()
        early._thread.join()
        early.abandon()
    assert forgotten.wait(60)
    assert ended == ["shutdown", "close", "wait"]


def test_what_keeps_it_from_starting_is_raised_where_it_is_needed() -> None:
    def launch(_options: dict[str, Any]) -> Any:
        msg = "no Java"
        raise OSError(msg)

    early = EarlyJvm(launch)
    with pytest.raises(OSError, match="no Java"):
        early.take()
    early.abandon()


@pytest.mark.parametrize("ends", [REFUSED, INTERRUPTED])
def test_a_process_that_ends_before_the_jvm_is_there_leaves_neither_it_nor_its_folder(
    tmp_path: Path, ends: str
) -> None:
    # A JVM that never says how it is reached, and does not end with its input, as one that finds no
    # folder. The folder is pyspark's own.
    started = tmp_path / "started"
    spark_submit = tmp_path / "spark" / "bin" / "spark-submit"
    spark_submit.parent.mkdir(parents=True)
    spark_submit.write_text(f"#!/bin/sh\ntouch {started}\nexec sleep 300\n")
    spark_submit.chmod(0o755)
    made = tmp_path / "temporary"
    made.mkdir()
    program = (
        "import os, sys, time\n"
        "from pyspark.java_gateway import launch_gateway\n"
        "from penstock._engine.spark.early_jvm import EarlyJvm\n"
        "early = EarlyJvm(lambda options: launch_gateway(None, options))\n"
        "until = time.monotonic() + 40\n"
        "while not os.path.exists(sys.argv[1]):\n"
        "    assert time.monotonic() < until, 'waited for the start of the JVM'\n"
        "    time.sleep(0.01)\n"
        "print(len(os.listdir(os.environ['TMPDIR'])), flush=True)\n"
    ) + ends
    environment = {"SPARK_HOME": str(tmp_path / "spark"), "TMPDIR": str(made)}
    ended = subprocess.run(
        [sys.executable, "-c", program, str(started)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,  # the JVM has it, too: both have ended when it is read
        timeout=60,
        check=True,
    )
    assert ended.stdout == b"1\n"
    assert os.listdir(made) == []
