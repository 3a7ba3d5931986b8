"""Under fire, the short form of `make chaos`: a few faults of each lane, chosen by fixed seeds."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from tests.chaos.campaign import Campaign, Journal, run_all
from tests.chaos.cluster import Cluster
from tests.chaos.faults import ON_WORKERS, Inject
from tests.chaos.lanes import Place, penstock_workers
from tests.chaos.spark_faults import ON_SPARK
from tests.chaos.spark_lane import SparkLane

pytestmark = pytest.mark.slow

SEED = 7


def under_fire(campaign: Campaign, kinds: list[str], known: dict[str, Inject]) -> list[str]:
    """Run faults; return what went wrong."""
    faults = [
        (kind, partial(_inject, known[kind], random.Random(f"{SEED} {number}")))
        for number, kind in enumerate(kinds)
    ]
    said: list[str] = []
    try:
        done = run_all(campaign, faults, said.append)
    finally:
        campaign.close()
    assert done == len(kinds), "\n".join(said)
    assert campaign.end is not None, "\n".join(said)
    outcomes = [*campaign.outcomes, campaign.end]
    return [f"{each.kind}: {each.trouble} {each.examples}" for each in outcomes if each.trouble]


def _inject(fault: Inject, chance: random.Random, campaign: Campaign) -> str:
    return fault(campaign, chance)


@pytest.mark.parametrize(
    ("guarantee", "kinds"),
    [
        (
            "exactly_once_v2",
            ["kill-worker", "stall-worker-long", "poison", "reset-connections", "deleted-state"],
        ),
        ("at_least_once", ["kill-all-workers", "refuse-connections"]),
    ],
)
def test_workers_under_fire_lose_nothing(guarantee: str, kinds: list[str], tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        place = Place(cluster.servers, "short", guarantee, tmp_path / "app")
        journal = Journal(tmp_path / "chaos.jsonl")
        campaign = Campaign(cluster, penstock_workers(place), SEED, journal, rate=60)
        assert under_fire(campaign, kinds, ON_WORKERS) == []


def test_an_application_on_spark_under_fire_loses_and_doubles_nothing(tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        place = Place(cluster.servers, "short", "exactly_once_v2", tmp_path / "app")
        journal = Journal(tmp_path / "chaos.jsonl")
        campaign = Campaign(cluster, SparkLane(place), SEED, journal, rate=60)
        assert under_fire(campaign, ["kill-driver"], ON_SPARK) == []
