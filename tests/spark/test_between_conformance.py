"""Random programs between streaming DataFrames, with files as input: what the input fixes is as the
reference has it.

More of them: `python -m conformance.dataframes.between --programs 50`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from conformance.dataframes.between import differences
from penstock.testing.broker import LocalBroker

pytestmark = pytest.mark.slow

PROGRAMS = (46,)
"""On two partitions, each update written."""


@pytest.mark.parametrize("seed", PROGRAMS)
def test_a_random_program_has_the_records_of_the_reference(
    seed: int, spark: SparkSession, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    assert differences(seed, spark, kafka_broker.bootstrap_servers, tmp_path / str(seed)) == []
