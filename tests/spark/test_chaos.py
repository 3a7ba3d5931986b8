"""Exactly-once under fire, the short form of `make chaos`: a worker and the driver are killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.kafka.broker import LocalBroker
from tests.crash.fleet import Fleet
from tests.spark.chaos import under_fire


@pytest.mark.slow
def test_killed_workers_and_drivers_lose_and_double_nothing(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    fleet = Fleet(kafka_broker.bootstrap_servers, tmp_path, "under-fire")
    under_fire(fleet, records=6000, kills=2, seed=7)
