"""A worker that dies between any two steps of a commit loses nothing and doubles nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.crash.fleet import Fleet, all_updates, by_letter, counted_once, produce, updates

RECORDS = 3000

CRASH_POINTS = ("before-send", "before-offsets", "before-commit", "after-commit", "after-apply")


@pytest.mark.slow
@pytest.mark.parametrize("point", CRASH_POINTS)
def test_a_crash_there_keeps_exactly_once(
    point: str, kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    fleet = Fleet(kafka_broker.bootstrap_servers, tmp_path, f"crash-{point}")
    fleet.create_topics()
    written = produce(fleet, RECORDS, seed=len(point))
    doomed = fleet.launch(crash_at=f"{point}:2")
    doomed.wait(timeout=60)
    assert doomed.returncode == -9, doomed.communicate()[0]

    written += produce(fleet, RECORDS, seed=1)
    fleet.launch()
    counts = all_updates(fleet, written.total(), "by-key", "by-letter")
    said = fleet.stop()

    assert said == []
    assert counts["by-key"] == counted_once(written)
    assert counts["by-letter"] == counted_once(by_letter(written))


@pytest.mark.slow
def test_deleted_local_state_is_restored_from_the_changelog(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    fleet = Fleet(kafka_broker.bootstrap_servers, tmp_path, "restored")
    fleet.create_topics()
    written = produce(fleet, RECORDS, seed=3)
    fleet.launch(state="first")
    assert updates(fleet, "by-letter", written.total()) == counted_once(by_letter(written))
    assert fleet.stop() == []

    fleet.processes.clear()
    written += produce(fleet, RECORDS, seed=4)
    fleet.launch(state="second")
    assert updates(fleet, "by-key", written.total()) == counted_once(written)
    assert fleet.stop() == []


@pytest.mark.slow
def test_two_workers_share_the_tasks_and_one_takes_over_when_the_other_is_killed(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    fleet = Fleet(kafka_broker.bootstrap_servers, tmp_path, "shared")
    fleet.create_topics()
    written = produce(fleet, RECORDS, seed=5)
    first, _ = fleet.launch(state="one"), fleet.launch(state="two")
    assert updates(fleet, "by-key", written.total()) == counted_once(written)
    first.kill()
    written += produce(fleet, RECORDS, seed=6)
    counts = all_updates(fleet, written.total(), "by-key", "by-letter")
    assert counts == {
        "by-key": counted_once(written),
        "by-letter": counted_once(by_letter(written)),
    }
    assert fleet.stop() == []


def test_the_crash_points_are_those_of_the_code() -> None:
    folder = Path(__file__).parents[2] / "src" / "penstock" / "_engine" / "kafka" / "worker"
    code = (folder / "transactions.py").read_text() + (folder / "worker.py").read_text()
    assert [point for point in CRASH_POINTS if f'crash_point("{point}")' not in code] == []
