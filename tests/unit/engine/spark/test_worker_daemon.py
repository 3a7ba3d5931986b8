"""What a daemon does before it forks."""

from __future__ import annotations

import subprocess
import sys

from penstock._engine.spark.worker_daemon import without_archive


def test_pyspark_is_imported_where_it_has_bytecode() -> None:
    archive = "/site/pyspark/python/lib/pyspark.zip"
    assert without_archive([archive, "/py4j.zip", "/site"]) == ["/py4j.zip", "/site"]
    # Spark of another place than the installed one.
    assert without_archive(["/opt/spark/python/lib/pyspark.zip", "/site"]) == [
        "/opt/spark/python/lib/pyspark.zip",
        "/site",
    ]


def test_what_it_imports_starts_no_thread_and_prints_nothing() -> None:
    program = """
import os, sys
from pyspark import daemon
from penstock._engine.spark import worker_daemon
daemon.manager = lambda: None
worker_daemon.main()
threads = len(os.listdir("/proc/self/task")) if os.path.exists("/proc") else 1
assert threads == 1, threads
assert "penstock._engine.control.engine_thread" in sys.modules
assert "penstock._engine.spark.batch.tasks.direct" in sys.modules
assert "pyarrow" not in sys.modules
"""
    # Its standard output is how Spark is told where it listens.
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
