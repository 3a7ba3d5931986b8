"""One SparkSession for all tests on Spark: starting one takes longer than most of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from conformance.dataframes.on_spark import session


@pytest.fixture(scope="session")
def crash_file() -> Path:
    """Return the file that says where a Python worker of the session shall die, once."""
    return _crash_file()


def _crash_file() -> Path:
    # Other folders import `spark` and make fixtures of their own of it, for the same JVM.
    return Path(tempfile.gettempdir()) / f"penstock-crash-{os.getpid()}"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Yield a local session with two cores, whose failed tasks are tried again."""
    with pytest.MonkeyPatch.context() as patched:
        # Python workers have the environment that the JVM began with.
        patched.setenv("PENSTOCK_CRASH_AT", f"@{_crash_file()}")
        started = session()
        made = started.__enter__()
    try:
        yield made
    finally:
        started.__exit__(None, None, None)
