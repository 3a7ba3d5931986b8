"""The source travels by value: processes that make, plan and count it do not load the engine."""

from __future__ import annotations

import subprocess
import sys

from pyspark import cloudpickle

from penstock._engine.control.protocol.messages import ControlAddress
from penstock._engine.spark.streaming.run import Run
from penstock._engine.spark.streaming.source import data_source_for

OTHER_PROCESS = """
import pickle, sys
from pyspark import cloudpickle
source = pickle.loads(sys.stdin.buffer.read())
assert (source.name(), source({}).schema()) == ("penstock_run-1", "timestamp bigint")
# As Spark plans a read: the reader is pickled again.
reader = source({}).streamReader(None)
again = pickle.loads(cloudpickle.dumps(reader))
assert again.initialOffset() == {"turn": 0}
loaded = [name for name in sys.modules if name.startswith("penstock")]
assert loaded == [], loaded
assert again._run.id == "run-1"
"""


def test_the_engine_is_loaded_where_it_is_used() -> None:
    run = Run("run-1", ControlAddress("127.0.0.1", 4711, b"key"), 10.0)
    sent = cloudpickle.dumps(data_source_for(run, "timestamp bigint"))  # type: ignore[no-untyped-call]
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS], input=sent, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
