"""An application is a good guest: other jobs of the user's session run beside it, and it leaves
nothing behind.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from penstock import KStream
from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.spark.hosted import PATIENCE_SECONDS, hosted
from tests.spark.test_control import latest_turn, living, wait_for

pytestmark = pytest.mark.slow

# Another job that waited for the end of such a turn would not be done in time.
LONG_TURNS = {"penstock.turn.ms": 3_600_000}


def shouted(stream: KStream[str, str]) -> KStream[str, str]:
    return stream.map_values(str.upper)


def run_another_job(spark: SparkSession) -> None:
    """Run a job of two tasks in the session, as a user does in a notebook."""
    sums: list[int] = []

    def add_up() -> None:
        sums.append(spark.range(0, 10, 1, 2).selectExpr("sum(id)").collect()[0][0])

    job = threading.Thread(target=add_up, daemon=True)
    job.start()
    job.join(PATIENCE_SECONDS)
    assert sums == [45], "another job of the session has waited for a core"


def test_a_core_is_left_and_rows_are_shown_and_the_checkpoint_is_removed(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    session, elsewhere = spark.newSession(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    # A default file system that is not the driver's disk: its /tmp is another directory.
    session.conf.set("fs.defaultFS", "viewfs://guest/")
    session.conf.set("fs.viewfs.mounttable.guest.link./tmp", elsewhere.as_uri())
    settings = {
        **LONG_TURNS,
        "penstock.spark.slots": "auto",
        "penstock.spark.rows": "full",
        "penstock.spark.sink": "memory",
    }
    servers = kafka_broker.bootstrap_servers
    with hosted(servers, "guest-1", shouted, session, tmp_path / "state", **settings) as (
        app,
        streams,
    ):
        assert [sorted(report.tasks) for report in living(streams)] == [["0_0", "0_1"]]
        run_another_job(session)
        assert latest_turn(streams) == 1
        app.write(("a", "one"), ("b", "two"))
        assert sorted(app.read(2)) == [("a", "ONE"), ("b", "TWO")]
        query: Any = streams._started_query()
        checkpoint = query._checkpoint.path
        assert list((checkpoint / "query").iterdir())
    rows = session.table("guest_1").collect()
    assert sorted((row.topic, row.key, row.value, row.headers) for row in rows) == [
        ("guest-1-out", bytearray(b"a"), bytearray(b"ONE"), []),
        ("guest-1-out", bytearray(b"b"), bytearray(b"TWO"), []),
    ]
    assert all(row.timestamp > 0 for row in rows)
    assert not checkpoint.exists()
    assert list(elsewhere.iterdir()) == []


def test_a_turn_on_all_cores_gives_way_to_another_job_and_its_workers_go_on(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    with hosted(servers, "gives-way", shouted, spark, tmp_path, **LONG_TURNS) as (app, streams):
        wait_for(lambda: len(living(streams)) == 2)
        workers = {report.worker for report in living(streams)}
        turn = latest_turn(streams)
        run_another_job(spark)
        wait_for(lambda: latest_turn(streams) > turn)
        app.write(("a", "one"))
        assert app.read(1) == [("a", "ONE")]
        assert {report.worker for report in living(streams)} == workers
