"""Spark is the host in earnest: slots are Spark tasks, turns follow each other, faults are met.

The numbers are those of the rules in docs/decisions/0003-rules-of-hosting.md.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.spark.session import check
from penstock._engine.spark.streaming.run import Run
from penstock._engine.spark.streaming.source import Slot, TurnReader
from penstock.application import KafkaStreams, State
from penstock.errors import ConfigError, TopologyError
from tests.spark.hosted import hosted
from tests.spark.standalone import parent

pytestmark = pytest.mark.slow


def test_records_go_through_over_several_turns_until_a_function_fails(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    def checked(value: str) -> str:
        return str(1 // int(value)) if value.isdecimal() else value.upper()

    servers = kafka_broker.bootstrap_servers
    short = {"penstock.turn.ms": 1000}
    with hosted(servers, "turns", lambda s: s.map_values(checked), spark, tmp_path, **short) as (
        app,
        streams,
    ):
        for number in range(12):
            app.write(("k", f"v{number}"))
            time.sleep(0.4)
        assert app.read(12) == [("k", f"V{number}") for number in range(12)]
        progress = streams.progress()
        assert progress is not None
        assert progress["batchId"] >= 2
        app.write(("k", "0"))
        assert streams.wait_until(State.ERROR, 60_000)
    assert streams.failure is not None
    assert streams.failure.kind == "ProcessingError"
    assert "ZeroDivisionError" in streams.failure.message
    assert "test_hosting.py" in streams.failure.message
    assert spark.sparkContext is not None  # the user's session is left alone


def test_a_killed_worker_is_replaced_by_spark_and_nothing_is_lost_or_doubled(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    with hosted(servers, "killed", lambda s: s.map_values(str.upper), spark, tmp_path) as (
        app,
        streams,
    ):
        app.write(*((f"k{number}", "a") for number in range(200)))
        app.read(200)
        victim = next(iter(streams.reports().values())).pid
        jvm = parent(parent(victim))
        os.kill(victim, signal.SIGKILL)
        app.write(*((f"k{number}", "b") for number in range(200)))
        app.read(400)
        # Without the process that counts its turns, Spark ends the query; it is started again.
        os.kill(counter_of_turns(jvm), signal.SIGKILL)
        app.write(*((f"k{number}", "c") for number in range(200)))
        out = app.read(600)
        assert sorted(out) == sorted(
            (f"k{number}", value) for number in range(200) for value in "ABC"
        )


def counter_of_turns(jvm: int) -> int:
    """Return the process that Spark asks for the next turn of its one query (Linux)."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            command = (process / "cmdline").read_bytes()
            if b"python_streaming_source_runner" in command and parent(int(process.name)) == jvm:
                found.append(int(process.name))
    (one,) = found
    return one


def test_output_stops_within_the_lease_when_the_query_is_stopped(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    with hosted(
        servers,
        "stopped",
        lambda s: s.map_values(str.upper),
        spark,
        tmp_path,
        **{"penstock.lease.ms": 5000},
    ) as (app, streams):
        app.write(("k", "before"))
        assert app.read(1) == [("k", "BEFORE")]
        query = next(q for q in spark.streams.active if q.name == "stopped")
        query.stop()
        assert streams.wait_until(State.ERROR, 30_000)
        time.sleep(6)
        app.write(("k", "after"))
        assert app.read(2, seconds=4) == [("k", "BEFORE")]
        assert streams.failure is not None
        assert "stopped" in streams.failure.message


def test_two_applications_with_one_id_share_the_tasks(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = kafka_broker.bootstrap_servers
    with hosted(
        servers,
        "pair",
        lambda s: s.map_values(str.upper),
        spark,
        tmp_path / "one",
        **{"num.stream.threads": 1},
    ) as (app, first):
        config = {**first._config.given(), "state.dir": str(tmp_path / "two")}
        # Spark wants the names of queries to be unique within a session.
        second = KafkaStreams(first._topology, config, spark=spark.newSession())
        second.start()
        try:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                owned = [
                    sorted(report.tasks)
                    for streams in (first, second)
                    for report in streams.reports().values()
                    if report.tasks
                ]
                if sorted(owned) == [["0_0"], ["0_1"]]:
                    break
                time.sleep(0.2)
            assert sorted(owned) == [["0_0"], ["0_1"]]
            app.write(*((f"k{number}", "x") for number in range(40)))
            assert len(app.read(40)) == 40
        finally:
            second.close()
        app.write(*((f"k{number}", "y") for number in range(40)))
        assert len(app.read(80)) == 80


def test_a_late_slot_ends_at_once() -> None:
    verbs = {
        "next_turn": Verb(int, lambda last: last + 1),
        "slots": Verb(int, lambda _: 2),
        "seconds_left": Verb(int, lambda _: 0.0),
    }
    server = ControlServer("127.0.0.1", verbs)
    reader = TurnReader(Run("late", server.address, 10.0))
    assert [slot.value for slot in reader.partitions({"turn": 0}, {"turn": 1})] == [0, 1]
    assert reader.latestOffset({"turn": 4}, None) == {"turn": 5}
    assert list(reader.read(Slot(0, turn=1))) == []
    server.close()


@pytest.mark.parametrize(
    ("setting", "value"), [("spark.python.worker.reuse", "false"), ("spark.speculation", "true")]
)
def test_a_session_that_would_lose_its_workers_is_refused(setting: str, value: str) -> None:
    class Session:
        class sparkContext:
            @staticmethod
            def getConf() -> dict[str, str]:
                return {setting: value}

    with pytest.raises(ConfigError, match=setting):
        check(Session())  # type: ignore[arg-type]


def test_a_function_that_cannot_travel_is_named_before_anything_starts(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    import threading  # noqa: PLC0415 - the point is what the function holds

    lock = threading.Lock()

    def guarded(value: str) -> str:
        with lock:
            return value

    servers = kafka_broker.bootstrap_servers
    with (
        pytest.raises(TopologyError, match=r"KSTREAM-MAPVALUES-0000000001.*cannot be shipped"),
        hosted(servers, "held", lambda s: s.map_values(guarded), spark, tmp_path),
    ):
        pass
