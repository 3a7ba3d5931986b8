"""How fast and for how long; compared with what was measured."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from benchmarks import report
from penstock.capacity import exactly_once, partitions, restore
from penstock.capacity.running import RESTORED_PER_SECOND

RESULTS = Path(__file__).parent.parent.parent.parent / "benchmarks" / "results.json"


def results() -> dict[str, Any]:
    if not RESULTS.exists():
        pytest.skip("nothing was measured")
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def side_by_side(measured: dict[str, Any]) -> Iterator[tuple[float, float]]:
    """Yield our records a second, exactly-once and at-least-once, of workloads for which both were
    measured in one run.
    """
    for guarantees in measured.get("throughput", {}).values():
        if (ours := report.side_by_side(guarantees, "penstock")) is not None:
            exact, at_least = ours
            yield exact["median"], at_least["median"]


def test_exactly_once_costs_about_what_was_measured() -> None:
    pairs = list(side_by_side(results()))
    if not pairs:
        pytest.skip("the two guarantees were not measured side by side")
    # A workload on its own is noisy by more than what a transaction costs.
    left = median(exact / at_least for exact, at_least in pairs)
    assert exactly_once(records_per_second=1).records_per_second == pytest.approx(left, rel=0.3)


def test_a_worker_restores_about_as_fast_as_was_measured() -> None:
    measured = results().get("restore", {}).get("penstock", {})
    rate = measured.get("records_per_s")
    if not rate:
        pytest.skip("restoring was not measured")
    assert rate / 4 <= RESTORED_PER_SECOND <= rate * 4


def test_what_exactly_once_costs_depends_on_the_interval() -> None:
    often = exactly_once(records_per_second=100, commit_interval_ms=80, commit_ms=20, workers=2)
    assert (often.transactions_per_second, often.busy_share) == (20, 0.2)
    assert (often.records_per_second, often.latency_ms) == (80, 60)
    rarely = exactly_once(records_per_second=100, commit_interval_ms=980, commit_ms=20)
    assert rarely.busy_share == 0.02


def test_restore() -> None:
    whole = restore(keys=1e6, partitions=2, workers=5, records_per_second=50_000, dirty_share=0.5)
    assert (whole.records, whole.parallel, whole.restore_seconds) == (1.5e6, 2, 15)
    assert whole.away_seconds == 60
    rest = restore(keys=1e6, partitions=2, workers=5, checkpoint_share=0.95, dirty_share=0)
    assert rest.records == pytest.approx(50_000)
    with pytest.raises(ValueError, match="checkpoint_share must be from 0 to 1; got 2"):
        restore(keys=1, partitions=1, workers=1, checkpoint_share=2)


def test_partitions() -> None:
    needed = partitions(
        records_per_second=100, slot_records_per_second=50, load=0.5, subtopologies=2
    )
    assert (needed.slots, needed.partitions, needed.tasks) == (4, 8, 16)
    assert needed.catch_up_seconds == 60
    twice = partitions(records_per_second=100, slot_records_per_second=50, load=0.5, repartitions=1)
    assert twice.slots == 8
    full = partitions(records_per_second=100, slot_records_per_second=50, load=1)
    assert full.catch_up_seconds == math.inf
    with pytest.raises(ValueError, match="load must be at most 1; got 2"):
        partitions(records_per_second=100, slot_records_per_second=50, load=2)
