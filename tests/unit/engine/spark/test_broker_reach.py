"""The local broker is refused where executors may be on other machines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pyspark import SparkContext

from penstock._engine.spark import broker_reach
from penstock._engine.spark.broker_reach import refuse_far_executors
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

pytestmark = pytest.mark.usefixtures("no_spark_session")

NEAR = (
    "local",
    "local[2]",
    "local[*, 4]",
    "local-cluster[2,1,1024]",
    "spark://localhost:7077",
    "spark://127.0.0.1:7077",
)
FAR = ("spark://host:7077", "yarn", "k8s://https://host:6443", "spark://127.host.example:7077")


def config(master: str | None = None) -> StreamsConfig:
    named = {} if master is None else {"penstock.spark.master": master}
    return StreamsConfig({"application.id": "fraud", **named})


def refused(master: str) -> Any:
    return pytest.raises(
        ConfigError, match=rf"(?s)'bootstrap.servers' must be given where .* is '{master}'.*BOOTSTR"
    )


@pytest.mark.parametrize("master", NEAR)
def test_a_master_of_this_machine_may_have_the_local_broker(master: str) -> None:
    refuse_far_executors(config(master), None)


@pytest.mark.parametrize("master", FAR)
def test_a_master_of_a_cluster_may_not(master: str) -> None:
    with refused(master):
        refuse_far_executors(config(master), None)


def test_without_a_master_in_the_settings_spark_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_far_executors(config(), None)
    monkeypatch.setenv("SPARK_ENV_LOADED", "1")  # Spark's files say which master it is
    refuse_far_executors(config("yarn"), None)


def test_the_session_counts_and_not_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    far: Any = SimpleNamespace(sparkContext=SimpleNamespace(master="yarn"))
    with refused("yarn"):
        refuse_far_executors(config("local[2]"), far)
    monkeypatch.setattr(SparkContext, "_active_spark_context", SimpleNamespace(master="yarn"))
    with refused("yarn"):
        refuse_far_executors(config("local[2]"), None)
    near: Any = SimpleNamespace(sparkContext=SimpleNamespace(master="local[2]"))
    refuse_far_executors(config("yarn"), near)


def test_under_spark_submit_its_master_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "4711")
    monkeypatch.setattr(SparkContext, "_ensure_initialized", lambda: None)
    submitted = {"spark.master": "spark://host:7077"}
    monkeypatch.setattr(broker_reach, "SparkConf", lambda: submitted)
    with refused("spark://host:7077"):
        refuse_far_executors(config("local[2]"), None)
    submitted["spark.master"] = "local[2]"
    refuse_far_executors(config(), None)
