"""The user's own SparkSession: it hosts the application, and goes on when that has ended."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock import Consumed, KafkaStreams, Produced, StreamsBuilder
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.application import State
from tests.spark.hosted import PATIENCE_SECONDS, TEXT, Hosted, hosted

pytestmark = pytest.mark.slow


def test_a_session_that_is_there_hosts_and_is_not_stopped(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    """`run` starts on another thread than the user's, where no session is active."""
    application = Hosted(kafka_broker.bootstrap_servers, "found")
    builder = StreamsBuilder()
    builder.stream("found-in", Consumed(TEXT, TEXT)).to("found-out", Produced(TEXT, TEXT))
    config = {
        "application.id": "found",
        "bootstrap.servers": kafka_broker.bootstrap_servers,
        "state.dir": str(tmp_path),
        "processing.guarantee": "exactly_once_v2",
        "penstock.turn.ms": 2000,
    }
    streams = KafkaStreams(builder.build(), config)
    running = threading.Thread(target=lambda: streams.run(quiet=True))
    running.start()
    try:
        application.write(("a", "x"))
        assert application.read(1) == [("a", "x")]
        assert [query.name for query in spark.streams.active] == ["found"]
    finally:
        assert streams.close()
        running.join()
        application.close()
    assert spark.range(3).count() == 3


def test_a_session_that_is_given_hosts_and_is_not_stopped_and_no_daemons_are_left_behind(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    def start_and_close(name: str) -> None:
        with hosted(servers, name, lambda s: s, spark, tmp_path) as (application, streams):
            application.write(("a", "x"))
            assert application.read(1) == [("a", "x")]
            assert [query.name for query in spark.streams.active] == [name]
            # The session has other work, too.
            assert spark.range(1000).selectExpr("sum(id)").first() == (499_500,)
            assert daemons(spark) - before
        assert streams.state is State.NOT_RUNNING
        assert spark.streams.active == []
        until = time.monotonic() + PATIENCE_SECONDS
        while len(daemons(spark) - before) > 1 and time.monotonic() < until:
            time.sleep(0.2)

    servers = kafka_broker.bootstrap_servers
    # Daemons of earlier tests may end at any time: only new ones count.
    before = daemons(spark)
    start_and_close("started-once")
    left = daemons(spark) - before
    # Spark keeps one for the session itself, which looks for data sources.
    assert len(left) <= 1
    start_and_close("started-twice")
    assert len(daemons(spark) - before) <= 1
    assert spark.range(3).count() == 3


def daemons(spark: SparkSession) -> set[int]:
    """Return the Python daemons of the session's JVM."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    parent = str(jvm.java.lang.ProcessHandle.current().pid())
    listed = subprocess.run(
        ["ps", "-e", "-o", "pid=,ppid=,args="], check=True, capture_output=True, text=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return {int(pid) for pid, owner, args in rows if owner == parent and "pyspark.daemon" in args}
