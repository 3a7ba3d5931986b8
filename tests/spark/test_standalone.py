"""A real standalone cluster, by the recipe of the documentation: the packed environment, submitted
in client mode. A worker joins and it grows under dynamic allocation, an executor dies; every record
is counted once, and tasks are where their state is. With more of each: `make cluster`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer

from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.cli import main
from tests.spark.standalone import (
    STATE_DIR,
    Standalone,
    Submitted,
    kill_executor_of,
    shared_classes,
    wait_for,
)

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "spark" / "clusters.md"
NAME = "clustered"
PARTITIONS = 4
GROWS = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.minExecutors": "1",
    "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout": "1s",
    "spark.dynamicAllocation.maxExecutors": "4",
}


class Counting:
    """The program on the cluster, what it says, and the records it counts."""

    def __init__(self, broker: LocalBroker, submitted: Submitted) -> None:
        self.submitted = submitted
        servers = broker.bootstrap_servers
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 0})
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": f"{NAME}-reader",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
            }
        )
        self._consumer.subscribe([f"{NAME}-out"])
        self.written = 0
        self.counts: dict[str, list[int]] = {}

    def told(self) -> dict[str, Any]:
        """Return the last line of JSON."""
        lines = [line for line in self.submitted.lines() if line.startswith("{")]
        told: dict[str, Any] = json.loads(lines[-1]) if lines else {"workers": []}
        return told

    def running(self) -> dict[str, dict[str, Any]]:
        """Return the worker that runs each task."""
        return {
            task: worker
            for worker in self.told()["workers"]
            if worker["state"] == "running"
            for task, state in worker["tasks"].items()
            if state == "running"
        }

    def homes(self) -> dict[str, str]:
        """Return where the state of each running task is."""
        return {task: worker["home"] for task, worker in self.running().items()}

    def wait_for_machines(self, count: int) -> None:
        """Wait until all tasks run, and on as many machines."""

        def is_so() -> bool:
            assert self.submitted.process.poll() is None, self.submitted.said()[-8000:]
            homes = self.homes()
            return len(homes) == PARTITIONS and len(set(homes.values())) == count

        wait_for(f"on {count} machines", is_so, self.submitted.said)

    def count(self) -> None:
        """Write records, and wait until each is counted."""
        for number in range(200):
            partition = number % PARTITIONS
            self._producer.produce(f"{NAME}-in", "x", f"k{number % 20}", partition=partition)
        self._producer.flush()
        self.written += 200
        wait_for("all counted", self._all_counted, self.submitted.said)

    def close(self) -> None:
        self._consumer.close()

    def _all_counted(self) -> bool:
        for message in self._consumer.consume(500, 0.1):
            key, value = message.key(), message.value()
            if message.error() is None and key is not None and value is not None:
                self.counts.setdefault(key.decode(), []).append(int.from_bytes(value, "big"))
        return sum(map(len, self.counts.values())) >= self.written


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Standalone]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    made = Standalone(folder, workers=1)
    yield made
    made.close()


def test_a_cluster_grows_loses_an_executor_and_counts_each_record_once(
    kafka_broker: LocalBroker, cluster: Standalone, tmp_path: Path
) -> None:
    for end in ("in", "out"):
        kafka_broker.create_topic(f"{NAME}-{end}", PARTITIONS)
    submitted = submit(cluster, tmp_path, kafka_broker.bootstrap_servers, GROWS)
    counting = Counting(kafka_broker, submitted)
    try:
        counting.wait_for_machines(1)
        counting.count()
        cluster.add_worker()
        counting.wait_for_machines(2)  # Spark has added an executor: a slot has waited for it
        counting.count()
        before = counting.running()
        assert {one["executor"] for one in before.values()} == {"0", "1"}
        (victim, *_) = before.values()
        kill_executor_of(victim["pid"])
        counting.count()
        wait_for(
            "back where the state is",
            lambda: (
                counting.homes() == {task: one["home"] for task, one in before.items()}
                and victim["pid"] not in {one["pid"] for one in counting.running().values()}
            ),
            submitted.said,
        )
        assert submitted.end() == 0, submitted.said()
    finally:
        submitted.close()
        counting.close()
    for counts in counting.counts.values():
        assert counts == list(range(1, len(counts) + 1))
    assert "ended cleanly" in submitted.said()
    assert "abort" not in submitted.said()


def submit(
    cluster: Standalone, folder: Path, bootstrap_servers: str, settings: Mapping[str, str]
) -> Submitted:
    """Submit the program as docs/spark/clusters.md says."""
    here = folder / "driver" / "of" / "it"
    here.mkdir(parents=True)
    archive = here / "env.tar.gz"
    assert main(["pack", str(archive), "--only", "penstock", "--without-pyspark"]) == 0
    (here / "env").mkdir()
    subprocess.run(["tar", "-xzf", archive, "-C", here / "env"], check=True)
    conf = {
        **settings,
        "spark.executor.cores": "1",
        "spark.executor.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": shared_classes(),
        "spark.executor.extraJavaOptions": shared_classes(),
    }
    # The rest of the recipe is in the documentation word for word.
    recipe = ["--archives", "env.tar.gz#env", "--conf", "spark.pyspark.python=./env/bin/python"]
    assert f"'{recipe[1]}' {' '.join(recipe[2:])} app.py" in PAGE.read_text()
    options = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    program = [str(HERE / "clustered.py"), bootstrap_servers, STATE_DIR, NAME]
    return Submitted(
        ["--master", cluster.master, *recipe, *options, *program],
        here,
    )
