"""An application on the development host: one worker in this process, a real broker, no Spark."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock import (
    Consumed,
    KafkaStreams,
    Materialized,
    Produced,
    State,
    StreamsBuilder,
    Topology,
    UncaughtResponse,
    serdes,
)
from penstock.errors import ProcessingError
from penstock.testing.broker import LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, latest, settings, write

TEXT, LONG = serdes.string(), serdes.long()

# In a process of its own: that of the tests has Spark in it.
WITHOUT_SPARK = """
import gc, json, sys
from tests.broker.test_local_host import counting, wait_for
from penstock import KafkaStreams, State

name, config = sys.argv[1], json.loads(sys.argv[2])
collector = gc.get_threshold(), gc.get_freeze_count()
with KafkaStreams(counting(name), config, host="local") as streams:
    streams.start()
    assert streams.wait_until(State.RUNNING, 60_000), (streams.state, streams.failure)
    counts = streams.store("counts")
    wait_for(lambda: len(list(counts.all())) == 2, "two keys")
    assert {key: count.value for key, count in counts.all()} == {"a": 2, "b": 1}
    assert streams.add_stream_thread() is None and streams.remove_stream_thread() is None
    wait_for(lambda: streams.progress()["recordsIn"] == 3, "a report of three records")
    progress = streams.progress()
    assert progress["host"] == "local" and progress["workers"] == 1, progress
    assert progress["tasks"] == {"running": 2, "restoring": 0}, progress
    # The figures of tasks come with a later report than the first of the thread.
    wait_for(
        lambda: any(name.group == "stream-task-metrics" for name in streams.metrics()),
        "figures of tasks",
    )
    print(json.dumps({"http": progress["http"], "modules": sorted(sys.modules)}))
assert (gc.get_threshold(), gc.get_freeze_count()) == collector, "the collector is left as it was"
"""


def counting(name: str) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream(f"{name}-in", Consumed(TEXT, TEXT))
        .group_by_key()
        .count(Materialized("counts", TEXT, LONG))
        .to_stream()
        .map_values(str)
        .to(f"{name}-out", Produced(TEXT, TEXT))
    )
    return builder.build()


def mapping(name: str, function: Callable[[str], str]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream(f"{name}-in", Consumed(TEXT, TEXT)).map_values(function)
    stream.to(f"{name}-out", Produced(TEXT, TEXT))
    return builder.build()


def make_topics(broker: LocalBroker, name: str) -> None:
    broker.create_topic(f"{name}-in", 2)
    broker.create_topic(f"{name}-out", 2)


def wait_for(true: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.02)


def wait_for_reports(streams: KafkaStreams) -> None:
    """Wait for a few reports; each brings the worker an answer."""
    before = max(report.number for report in streams.reports().values())
    wait_for(
        lambda: max(report.number for report in streams.reports().values()) > before + 2,
        "reports of the worker",
    )


def test_it_works_as_on_spark_and_imports_none_of_it(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    make_topics(kafka_broker, "local-1")
    write(kafka_broker, "local-1-in", [("a", "x"), ("b", "x"), ("a", "x")])
    config = settings(kafka_broker, tmp_path, "local-1", **{"penstock.http.port": 0})
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_SPARK, "local-1", json.dumps(config.given())],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert said["http"]["address"].startswith("http://")
    spark = [one for one in said["modules"] if one.split(".")[0] in {"pyspark", "py4j", "pyarrow"}]
    assert spark == []


def test_a_failure_is_raised_and_the_next_run_goes_on_where_it_ended(
    kafka_broker: LocalBroker, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def divide(value: str) -> str:
        return str(12 // int(value))

    make_topics(kafka_broker, "local-2")
    write(kafka_broker, "local-2-in", [("a", "0")])
    config = settings(kafka_broker, tmp_path, "local-2")
    streams = KafkaStreams(mapping("local-2", divide), config, host="local")
    with pytest.raises(ProcessingError, match="ZeroDivisionError"):
        streams.run(quiet=True)
    assert streams.state is State.ERROR
    # It is raised, and not printed as well.
    assert "ZeroDivisionError" not in capfd.readouterr().err
    streams = KafkaStreams(mapping("local-2", str.upper), config, host="local")
    streams.run(available_now=True, quiet=True)
    assert streams.state is State.NOT_RUNNING
    assert latest(kafka_broker, "local-2-out") == {"a": "0"}


def test_a_failed_worker_is_replaced_and_a_paused_one_processes_nothing(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    failures: list[Any] = []
    seen: list[str] = []

    def fail_once(value: str) -> str:
        if not failures:
            msg = "not yet"
            raise RuntimeError(msg)
        seen.append(value)
        return value

    def replace(failure: Any) -> UncaughtResponse:
        failures.append(failure)
        return UncaughtResponse.REPLACE_THREAD

    make_topics(kafka_broker, "local-3")
    write(kafka_broker, "local-3-in", [("a", "x")])
    config = settings(kafka_broker, tmp_path, "local-3")
    with KafkaStreams(mapping("local-3", fail_once), config, host="local") as streams:
        streams.set_uncaught_exception_handler(replace)
        streams.start()
        wait_for(lambda: seen == ["x"], "the record")
        assert not streams.is_paused
        streams.pause()
        assert streams.is_paused
        wait_for_reports(streams)  # the worker has its instruction
        write(kafka_broker, "local-3-in", [("b", "y")])
        wait_for_reports(streams)
        assert seen == ["x"]
        streams.resume()
        assert not streams.is_paused
        wait_for(lambda: seen == ["x", "y"], "the record that waited")
    assert len(failures) == 1


def test_closed_at_once_it_leaves_no_worker_behind(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    make_topics(kafka_broker, "local-4")
    config = settings(kafka_broker, tmp_path, "local-4")
    streams = KafkaStreams(counting("local-4"), config, host="local")
    streams.start()
    assert streams.close()
    engines = [one.name for one in threading.enumerate() if one.name == "penstock-engine"]
    assert engines == []


@pytest.mark.parametrize("within_close", [False, True])
def test_a_function_of_the_worker_may_close_it(
    kafka_broker: LocalBroker, tmp_path: Path, within_close: bool
) -> None:
    answers: list[bool] = []
    begun, may_end = threading.Event(), threading.Event()

    def close(value: str) -> str:
        begun.set()
        if within_close:
            may_end.wait(PATIENCE_SECONDS)
        answers.append(streams.close(PATIENCE_SECONDS * 1000))
        return value

    name = f"local-5-{within_close}".lower()
    make_topics(kafka_broker, name)
    write(kafka_broker, f"{name}-in", [("a", "x")])
    config = settings(kafka_broker, tmp_path, name)
    streams = KafkaStreams(mapping(name, close), config, host="local")
    streams.start()
    assert begun.wait(PATIENCE_SECONDS)
    if within_close:
        closer = threading.Thread(target=streams.close)
        closer.start()
        assert streams.wait_until(State.PENDING_SHUTDOWN, PATIENCE_SECONDS * 1000)
        may_end.set()
        closer.join(PATIENCE_SECONDS)
    assert streams.wait_until(State.NOT_RUNNING, PATIENCE_SECONDS * 1000)
    assert answers == [False]
    assert streams.close()
    assert latest(kafka_broker, f"{name}-out") == {"a": "x"}
