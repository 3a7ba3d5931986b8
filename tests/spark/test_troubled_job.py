"""The same rows, whatever the executors, and however often a task is run: workers that die, and
tasks that are run twice at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.troubled_job import STORES, TOPICS, rows

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 300


def test_trouble_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    calm = rows(spark)
    assert all(calm[name] for name in (*TOPICS, *STORES))
    # In a process of its own, since a process has only one session.
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.troubled_job", str(tmp_path)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]]),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    assert (tmp_path / "died-of-page-3").exists(), "a worker died"
    assert json.loads(done.stdout.splitlines()[-1]) == calm
