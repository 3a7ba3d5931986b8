"""An application under spark-submit: the JVM starts Python, and hears the signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from confluent_kafka import ConsumerGroupState
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.spark.hosted import Hosted

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent

START_SECONDS = 240.0
END_SECONDS = 60.0


@pytest.mark.slow
@pytest.mark.skipif(not (BIN / "spark-submit").exists(), reason="no spark-submit beside Python")
def test_a_submitted_application_works_and_ends_cleanly_by_sigterm(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    application = Hosted(kafka_broker.bootstrap_servers, "submitted")
    output = tmp_path / "output"
    process = _submit(kafka_broker.bootstrap_servers, tmp_path / "state", output)
    try:
        application.write(("a", "one"), ("a", "two"))
        seen = application.read(2, START_SECONDS)
        assert seen == [("a", "ONE!"), ("a", "TWO!")], output.read_text()
        # The JVM is the process that was started, and the only one that is told.
        process.send_signal(signal.SIGTERM)
        assert process.wait(END_SECONDS) == 0, output.read_text()
    finally:
        process.kill()
        process.wait()
        application.close()
    assert "ended cleanly" in output.read_text()
    # A normal stop is no failure, and Spark logs no aborted job.
    assert " ERROR " not in output.read_text()
    assert _group_state(kafka_broker.bootstrap_servers) is ConsumerGroupState.EMPTY


def _submit(bootstrap_servers: str, state_dir: Path, output: Path) -> subprocess.Popen[bytes]:
    options = ["--master", "local[2,4]", "--conf", "spark.ui.enabled=false"]
    command = [str(BIN / "penstock"), "jvm-options"]
    jvm = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    options += ["--driver-java-options", jvm]
    arguments = [bootstrap_servers, str(state_dir), "submitted"]
    environment = {
        **os.environ,
        # As in a shell in which the environment is activated.
        "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", "")]),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    with output.open("wb") as file:
        return subprocess.Popen(
            [str(BIN / "spark-submit"), *options, str(HERE / "shouting.py"), *arguments],
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
        )


def _group_state(bootstrap_servers: str) -> ConsumerGroupState:
    """Return the state of the group once it has no members, or the last one if it keeps them."""
    admin = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})
    until = time.monotonic() + 5
    while True:
        state: ConsumerGroupState
        state = admin.describe_consumer_groups(["submitted"])["submitted"].result().state
        if state is ConsumerGroupState.EMPTY or time.monotonic() > until:
            return state
        time.sleep(0.1)
