"""What the installed Spark says of Python processes that die, or do not start, is what we look for:
each is made to happen. A new version of Spark that says it in other words is noticed here.
"""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock._engine.control.start_attempts import AGAIN_MAX
from penstock._engine.spark.between.live_run import LiveRun
from penstock._engine.spark.lost_processes import EXITED, did_not_start, lost_its_offsets
from penstock.errors import StreamsError
from tests.spark.python_processes import HangingUp, customers_by_python
from tests.spark.test_hosting import counter_of_turns
from tests.unit.engine.spark.between.idle import Idle

pytestmark = pytest.mark.slow

WAIT_SECONDS = 60


def started(spark: SparkSession, path: Path) -> StreamingQuery:
    """Start a query whose offsets a Python process reads."""
    writer = customers_by_python(spark).writeStream.format("noop")
    return writer.option("checkpointLocation", str(path / "checkpoint")).start()


def failure_of(query: StreamingQuery) -> Exception:
    with pytest.raises(StreamingQueryException):
        query.awaitTermination(WAIT_SECONDS)
    error: Exception | None = query.exception()
    assert error is not None
    return error


def test_a_worker_that_dies_in_its_work(spark: SparkSession) -> None:
    rows = spark.sparkContext.parallelize([1], 1)
    with pytest.raises(Exception, match=EXITED):
        rows.foreach(lambda _: os._exit(3))


def test_a_process_that_reads_offsets_and_dies(spark: SparkSession, tmp_path: Path) -> None:
    query = started(spark, tmp_path)
    try:
        query.processAllAvailable()
        jvm: Any = spark._jvm
        os.kill(counter_of_turns(jvm.ProcessHandle.current().pid()), signal.SIGKILL)
        error = failure_of(query)
    finally:
        query.stop()
    assert lost_its_offsets(error)
    assert not did_not_start(str(error))


@pytest.fixture
def python(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HangingUp:
    """Return what Spark takes for Python."""
    made = HangingUp(tmp_path)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", made.program)
    return made


def test_a_process_that_does_not_start(
    spark: SparkSession, tmp_path: Path, python: HangingUp
) -> None:
    python.next(1)
    error = failure_of(started(spark, tmp_path))
    assert did_not_start(str(error))
    assert not lost_its_offsets(error)


def test_queries_whose_process_does_not_start_are_started_again_but_not_for_ever(
    spark: SparkSession, tmp_path: Path, python: HangingUp
) -> None:
    run = LiveRun(spark, Idle(), ExitStack())
    try:
        python.next(2)
        query = run.start_output(lambda: started(spark, tmp_path / "output"))
        assert (query.isActive, python.left) == (True, 0)
        python.next(100)
        run.start_input("customers", lambda: started(spark, tmp_path / "input"))
        run.watch()
        said = f"input 'customers' failed, .*Spark waits ten seconds for '{python.program}'"
        with pytest.raises(StreamsError, match=said):
            run.wait(WAIT_SECONDS)
        assert python.left == 100 - 1 - AGAIN_MAX
    finally:
        run.close()
    assert spark.streams.active == []
