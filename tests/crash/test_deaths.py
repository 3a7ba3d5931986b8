"""A function that ends its process is found, and the handlers decide about its record."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from penstock.testing.broker import LocalBroker
from tests.broker.applications import write
from tests.crash.deadly import POISON

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RECORDS = 40
MOST_LIVES = 12


def live(broker: LocalBroker, state_dir: Path, name: str, how: str, handler: str) -> list[str]:
    """Start the program anew each time it dies, until it ends; return what each life has said."""
    said = []
    for _ in range(MOST_LIVES):
        run = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.crash.deadly",
                broker.bootstrap_servers,
                str(state_dir),
                name,
                how,
                handler,
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        said.append(run.stdout)
        if run.returncode in {0, 1}:
            break
    return said


def outputs(broker: LocalBroker, topic: str) -> list[str]:
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": "outputs",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    while (message := consumer.poll(30.0)) is not None and message.error() is None:
        found.append((message.value() or b"").decode())
    consumer.close()
    return found


def poisoned(broker: LocalBroker, name: str) -> list[str]:
    """Write records, two of them deadly; return the others."""
    broker.create_topic(f"{name}-in", 1)
    broker.create_topic(f"{name}-out", 1)
    values = [f"v{number}" for number in range(RECORDS)]
    # Two within one commit: the first one is not forgotten when the second is found.
    values[RECORDS // 2] = values[RECORDS // 2 + 2] = POISON
    write(broker, f"{name}-in", [("k", value) for value in values])
    return [value for value in values if value != POISON]


def test_a_deadly_record_is_found_and_skipped_where_the_handler_says_so(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    others = poisoned(kafka_broker, "deadly-crash")
    said = live(kafka_broker, tmp_path, "deadly-crash", "crash", "go-on")
    assert outputs(kafka_broker, "deadly-crash-out") == others
    assert "Fatal Python error: Segmentation fault" in said[1]
    assert "is processed record by record: its process has died 2 times" in said[2]
    assert "offset 20" in said[-3]
    assert "offset 22" in said[-1]


def test_without_a_handler_the_application_ends_and_names_the_record(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    poisoned(kafka_broker, "deadly-fails")
    said = live(kafka_broker, tmp_path, "deadly-fails", "exit", "fail")
    told = "called os._exit(3) at topic 'deadly-fails-in', partition 0, offset 20"
    assert told in said[1]
    assert "failed: " in said[-1]
    assert "topic 'deadly-fails-in', partition 0, offset 20" in said[-1]
    assert "died 2 times" in said[-1]


def test_sys_exit_is_a_failure_of_its_record(kafka_broker: LocalBroker, tmp_path: Path) -> None:
    poisoned(kafka_broker, "deadly-sys")
    (said,) = live(kafka_broker, tmp_path, "deadly-sys", "sys.exit", "fail")
    assert "offset 20" in said
    assert "sys.exit(4) was called (at " in said


def test_a_failure_that_can_be_told_is_no_death(kafka_broker: LocalBroker, tmp_path: Path) -> None:
    """A database that is away for a moment must not have its record blamed for ever."""
    poisoned(kafka_broker, "fails-often")
    for _ in range(3):
        (said,) = live(kafka_broker, tmp_path, "fails-often", "sys.exit", "fail")
        assert "sys.exit(4) was called (at " in said
        assert "died" not in said
