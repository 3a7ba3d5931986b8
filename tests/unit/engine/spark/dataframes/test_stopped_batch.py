"""What Spark is told of a batch that was stopped is short, and all is told of one that failed."""

from __future__ import annotations

import re

import pytest
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from penstock._engine.spark.dataframes.stopped_batch import short_if_stopped

STACK = "\tat org.apache.spark.util.ThreadUtils$.awaitReady(ThreadUtils.scala:346)\n" * 100
# Scala: StreamExecution.PROXY_ERROR.
KNOWN_TO_SPARK = re.compile(
    r"py4j.protocol.Py4JJavaError: An error occurred while calling((.|\r\n|\r|\n)*)"
    r"(java.lang.InterruptedException|java.io.InterruptedIOException)"
)


class CallFailed(Py4JJavaError):  # type: ignore[misc]
    """Says what a call into the JVM says that has failed."""

    def __init__(self, said: str) -> None:
        self.said = said

    def __str__(self) -> str:
        return f"An error occurred while calling o65.collectToPython.\n: {self.said}\n{STACK}"


def error_after(said: str) -> Exception:
    """Return what a batch raises after a call that has failed so."""
    with pytest.raises((InterruptedError, Py4JJavaError)) as caught, short_if_stopped():
        raise CallFailed(said)
    error: Exception = caught.value
    return error


def test_of_a_thread_that_was_interrupted_spark_is_told_without_the_stack() -> None:
    error = error_after("java.lang.InterruptedException")
    assert KNOWN_TO_SPARK.search(str(error))
    assert len(str(error).splitlines()) == 3
    assert error.__suppress_context__


def test_of_a_job_that_was_cancelled_spark_is_told_which() -> None:
    said = "org.apache.spark.SparkException: Job 5 cancelled part of cancelled job group 05e4a755"
    assert str(error_after(said)).endswith(f"collectToPython.\n: {said}")


def test_a_batch_that_failed_by_itself_says_all() -> None:
    error = error_after("org.apache.spark.SparkException: Job aborted due to stage failure")
    assert isinstance(error, CallFailed)
