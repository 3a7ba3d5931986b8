"""The log of Spark is its owner's alone: it may show records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkConf

from penstock._engine.spark import session
from penstock.settings import StreamsConfig


@pytest.mark.parametrize("there", [True, False])
def test_the_log_of_spark_is_its_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    def launch(conf: SparkConf, options: dict[str, Any]) -> None:
        os.write(options["stdout"], b"a record\n")

    monkeypatch.setattr(session, "launch_gateway", launch)
    config = StreamsConfig(
        {"application.id": "app", "bootstrap.servers": "b:1", "state.dir": str(tmp_path / "state")}
    )
    log = session.log_path(config)
    if there:
        log.parent.mkdir(parents=True)
        log.write_text("of the last start")
        log.chmod(0o644)
    session._launch_jvm(SparkConf(loadDefaults=False), config)
    assert (log.stat().st_mode & 0o777, log.read_text()) == (0o600, "a record\n")
