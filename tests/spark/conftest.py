"""One SparkSession for all tests on Spark: starting one takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from conformance.dataframes.on_spark import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Yield a local session with two cores, whose failed tasks are tried again."""
    with session() as made:
        yield made
