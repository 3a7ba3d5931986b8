"""One SparkSession for all tests on Spark: starting one takes longer than most of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from penstock._engine.spark.classes import archive_option


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Give a local session with two cores, whose failed tasks are tried again."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master("local[2,4]")
        .appName("penstock-tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.adaptive.enabled", "false")
        # Data of tests are small: each task costs more than the rows in it.
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.locality.wait", "0")
        .config("spark.driver.extraJavaOptions", f"{archive_option()} -XX:TieredStopAtLevel=1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
