"""A driver between DataFrames that is killed: the next one with the same folder goes on, and what
was read from Spark's source is in Spark's sink once.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.testing.broker import LocalBroker
from tests.spark.between_driver import running, writing

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WAIT_SECONDS = 120
ROWS_OF_A_FILE = 20


class Numbers:
    """Files of numbers, written one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sums: dict[str, int] = defaultdict(int)
        self._count = itertools.count(1)
        self.expected: dict[str, list[int]] = defaultdict(list)
        """The totals that each key has had, one after the other."""
        folder.mkdir(parents=True)

    def add(self) -> None:
        """Add a file."""
        lines = []
        for _ in range(ROWS_OF_A_FILE):
            number = next(self._count)
            key = f"k{number % 5}"
            self._sums[key] += number
            self.expected[key].append(self._sums[key])
            lines.append(json.dumps({"key": key, "value": number, "timestamp": number}))
        name = f"{number:06}.json"
        (self._folder / f".{name}").write_text("\n".join(lines))
        (self._folder / f".{name}").rename(self._folder / name)


@contextmanager
def driver(servers: str, folder: Path, name: str) -> Iterator[None]:
    """Run the program, and kill it with all its processes."""
    command = [sys.executable, "-m", "tests.spark.between_driver", servers, str(folder), name]
    with open(folder / "driver.log", "ab") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield
        assert process.poll() is None, (folder / "driver.log").read_text()[-4000:]
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(WAIT_SECONDS)


def shown(folder: Path, spark: SparkSession) -> dict[str, list[int]]:
    """Return the totals of each key in the files of the output, in the order of their offsets."""
    schema = "key string, value long, partition int, offset long"
    if not (folder / "out" / "_spark_metadata").exists():
        return {}
    found: dict[str, list[int]] = defaultdict(list)
    for row in spark.read.schema(schema).json(str(folder / "out")).orderBy("offset").collect():
        found[row.key].append(row.value)
    return found


def test_a_driver_is_killed_and_the_next_goes_on(
    spark: SparkSession, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    servers, name = kafka_broker.bootstrap_servers, "between-killed"
    numbers = Numbers(tmp_path / "in")
    numbers.add()
    with driver(servers, tmp_path, name):
        deadline = time.monotonic() + WAIT_SECONDS
        while sum(map(len, shown(tmp_path, spark).values())) < ROWS_OF_A_FILE:
            assert time.monotonic() < deadline, (tmp_path / "driver.log").read_text()[-4000:]
            time.sleep(0.2)
        # It dies while these are on their way.
        for _ in range(5):
            numbers.add()
            time.sleep(0.2)
    with running(spark, servers, tmp_path, name, available_now=True) as result:
        query = writing(result, tmp_path, name).trigger(availableNow=True).start()
        assert query.awaitTermination(WAIT_SECONDS), "the output did not end"
    assert shown(tmp_path, spark) == numbers.expected
