"""The start of an application on Spark: workers begin before the query, as forks of one daemon."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from penstock import Consumed, KafkaStreams, State, StreamsBuilder, serdes
from penstock._engine.kafka.client.topic_io import TopicWriter
from penstock.testing.broker import LocalBroker
from tests.console.browser import wait_for
from tests.terminal import PATIENCE_SECONDS, command, environment

pytestmark = pytest.mark.slow

PROGRAM = """
import os, sys, time
from pathlib import Path
from pyspark.sql.streaming.readwriter import DataStreamWriter
from penstock import Consumed, KafkaStreams, Produced, StreamsBuilder, serdes

text = serdes.string()


def daemon(value):
    Path(os.environ["RESULT"]).touch()
    command = Path(f"/proc/{os.getppid()}/cmdline").read_text().replace("\\0", " ")
    return f"{os.getppid()} {command}"


builder = StreamsBuilder()
(
    builder.stream("start-in", Consumed(text, text))
    .map_values(daemon)
    .peek(lambda key, value: print(f"worker of {value}"))
    .to("start-out", Produced(text, text))
)
start = DataStreamWriter.start


def start_after_a_result(writer, *arguments):
    until = time.monotonic() + 60
    while not Path(os.environ["RESULT"]).exists():
        assert time.monotonic() < until, "no worker has begun without the query"
        time.sleep(0.05)
    print("a worker before the query")
    return start(writer, *arguments)


DataStreamWriter.start = start_after_a_result
streams = KafkaStreams(builder.build(), {"application.id": "start", "penstock.turn.ms": 2000})
streams.run(available_now=True)
"""


def test_workers_begin_before_the_query_as_forks_of_one_daemon(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    kafka_broker.create_topic("start-in", 2)
    kafka_broker.create_topic("start-out", 2)
    program = tmp_path / "start.py"
    program.write_text(PROGRAM)
    writer = TopicWriter(kafka_broker.bootstrap_servers)
    writer.write("start-in", b"a", b"x")
    writer.flush()
    servers = ("--bootstrap-servers", kafka_broker.bootstrap_servers)
    ran = subprocess.run(
        command("run", str(program), "--timings", *servers),
        env={**environment(tmp_path), "RESULT": str(tmp_path / "result")},
        text=True,
        check=False,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("a worker before the query") == 1
    assert "-m penstock._engine.spark.worker_daemon pyspark.worker" in ran.stdout
    stages = (
        r"start: before run\(\) [\d.]+ s, preparing [\d.]+ s, spark [\d.]+ s, .*in all [\d.]+ s"
    )
    assert re.search(stages, ran.stderr), ran.stderr


REFUSED = """
import sys
from penstock import KafkaStreams, StreamsBuilder

builder = StreamsBuilder()
builder.stream("start-nowhere").to("start-out")
settings = {"application.id": "start-refused", "bootstrap.servers": sys.argv[1]}
KafkaStreams(builder.build(), settings).start()
"""


def test_a_start_that_is_refused_at_once_leaves_no_jvm(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    # The driver ends before the JVM that starts meanwhile is there.
    program = tmp_path / "refused.py"
    program.write_text(REFUSED)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    ran = subprocess.run(
        [sys.executable, str(program), kafka_broker.bootstrap_servers],
        env={**environment(tmp_path), "TMPDIR": str(temporary)},
        text=True,
        check=False,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
    )
    assert ran.returncode == 1
    assert "missing: 'start-nowhere'" in ran.stderr
    name = "spark.app.name=start-refused"
    wait_for(lambda: not processes_with(name), "the end of the JVM", PATIENCE_SECONDS)
    assert [path.name for path in temporary.iterdir()] == ["penstock"], "the state's place alone"


CHANGED = """
import sys, threading, time
from pyspark import SparkContext
from penstock import Consumed, KafkaStreams, StreamsBuilder, serdes


def tell():
    while SparkContext._active_spark_context is None:
        time.sleep(0.05)
    print("the session is there", file=sys.stderr, flush=True)


threading.Thread(target=tell, daemon=True).start()
text = serdes.string()
builder = StreamsBuilder()
builder.stream("start-shape", Consumed(text, text)).group_by_key().count().to_stream()
settings = {
    "application.id": "start-shape",
    "bootstrap.servers": sys.argv[1],
    "consumer.session.timeout.ms": int(sys.argv[2]),
}
KafkaStreams(builder.build(), settings).run(available_now=True)
"""


def old_shape(broker: LocalBroker, state: Path) -> KafkaStreams:
    """Return an application of another shape, which runs."""
    broker.create_topic("start-shape", 1)
    text = serdes.string()
    builder = StreamsBuilder()
    builder.stream("start-shape", Consumed(text, text)).for_each(lambda key, value: None)
    own = {"application.id": "start-shape", "bootstrap.servers": broker.bootstrap_servers}
    streams = KafkaStreams(builder.build(), {**own, "state.dir": str(state)}, host="local")
    streams.start()
    assert streams.wait_until_running()
    return streams


def test_a_new_shape_has_its_session_before_the_old_one_leaves(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    """It waited for up to 55 s, and began to start Spark then."""
    program, told = tmp_path / "changed.py", tmp_path / "told"
    program.write_text(CHANGED)
    arguments = (str(program), kafka_broker.bootstrap_servers)
    with old_shape(kafka_broker, tmp_path / "old") as old, told.open("wb") as errors:
        new = subprocess.Popen(
            [sys.executable, *arguments, "240000"], env=environment(tmp_path), stderr=errors
        )
        try:
            wait_for(
                lambda: "the session is there" in told.read_text(),
                "the session of the new shape",
                PATIENCE_SECONDS,
            )
            assert "run a topology of another shape" in told.read_text()
            assert old.state is State.RUNNING
            old.close()
            assert new.wait(PATIENCE_SECONDS) == 0, told.read_text()
        finally:
            new.kill()
            new.wait()


def processes_with(argument: str) -> list[int]:
    """Return the processes whose command has an argument."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            if argument in place.read_text(errors="replace").split("\0"):
                found.append(int(place.parent.name))
    return found
