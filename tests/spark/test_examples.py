"""Every example on Spark and a real broker, on a bounded input: every result is the right one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from examples.shows import SHOWS
from examples.stage.checked import check
from penstock.testing.broker import LocalBroker

pytestmark = pytest.mark.slow

COUNT = 600


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """A broker of our own: the examples' topics have fixed names."""
    with LocalBroker(tmp_path_factory.mktemp("examples")) as broker:
        yield broker


@pytest.mark.parametrize("name", SHOWS)
def test_every_result_is_the_right_one(
    name: str, broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    servers = broker.bootstrap_servers
    outcome = check(SHOWS[name](), servers, str(tmp_path), COUNT, spark=spark)
    assert outcome.differences == []
    assert outcome.records_in >= COUNT
    assert all(outcome.checked.values()), "an answer with nothing in it proves nothing"


@pytest.mark.slow
def test_the_order_pipeline_writes_to_postgresql(
    broker: LocalBroker,
    spark: SparkSession,
    tmp_path: Path,
    postgresql: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del broker  # each database needs a new broker, whose offsets begin at 0, or they are known
    monkeypatch.setenv("DATABASE_URL", postgresql)
    with LocalBroker(tmp_path / "broker") as another:
        servers, state = another.bootstrap_servers, str(tmp_path / "state")
        outcome = check(SHOWS["order_pipeline"](), servers, state, COUNT, spark=spark)
    assert outcome.differences == []
