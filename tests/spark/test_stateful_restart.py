"""Stateful verbs go on after a restart as if there had been none, half of their state deleted.

These run side by side in one application; all of them, each for itself: `make restarts`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.spark.stateful_restart import WIPES, driven, hosted

pytestmark = pytest.mark.slow

SAMPLE = [
    "sliding",
    "sessions",
    "until-close",
    "cogroup",
    "table-table-outer",
    "foreign-key",
    "stream-stream-outer",
    "stream-table",
    "global",
    "versioned",
    "window-store",
]


def test_results_are_those_of_the_driver_which_knows_no_restarts(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    wipe = WIPES["half of it deleted"]
    got = hosted(SAMPLE, spark, kafka_broker.bootstrap_servers, tmp_path, wipe)
    for name in SAMPLE:
        assert got[name] == driven(name)[name], name
