"""Errors of `format("penstock")` in Spark's Python processes."""

from __future__ import annotations

import os

import pytest

from penstock._engine.spark.dataframes.source import TopicSource
from penstock.errors import ConfigError


@pytest.mark.parametrize(("process", "hidden"), [("PYTHON_WORKER", True), (None, False)])
def test_the_traceback_of_our_errors_is_hidden_in_processes_of_spark_alone(
    process: str | None, *, hidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")  # it is restored
    monkeypatch.delenv("SPARK_HIDE_TRACEBACK")
    monkeypatch.delenv("SPARK_PYTHON_RUNTIME", raising=False)
    if process is not None:
        monkeypatch.setenv("SPARK_PYTHON_RUNTIME", process)
    with pytest.raises(ConfigError, match="needs one of option"):
        TopicSource({}).schema()
    assert ("SPARK_HIDE_TRACEBACK" in os.environ) is hidden
