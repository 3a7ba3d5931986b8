"""Local state that is older than its changelog keeps deletions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.engine.kafka.worker.stage import CHANGELOG, Stage

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage with two records in the first partition."""
    made = Stage(tmp_path)
    made.kafka.write("in", 0, ("a", "x"), ("a", "y"))
    yield made
    if made.is_open:
        made.worker.abandon()
    made.host.close()


@pytest.mark.parametrize(("days", "starts"), [(0.9, [None, 2]), (2, [None, None])])
def test_state_of_days_ago_does_not_bring_deleted_keys_back(
    stage: Stage, days: float, starts: list[int | None]
) -> None:
    """What compaction has removed meanwhile may be the deletion of a key that is in the state."""
    stage.run(0)
    stage.close()
    stage.clock.advance(round(days * DAY_MS))
    stage.kafka.write(CHANGELOG, 0, ("other", "00000000"))
    stage.run(0)
    stage.worker.step()
    assert stage.kafka.restored_from[CHANGELOG, 0] == starts
    assert stage.worker.figures.tasks() == {"0_0": "running"}


def test_only_the_store_whose_state_is_old_is_deleted(stage: Stage, tmp_path: Path) -> None:
    """Files of the user and stores without a changelog are nowhere else."""
    stage.run(0)
    stage.close()
    (task,) = tmp_path.rglob("0_0")
    kept = [task / "user" / "notes", task / "rocksdb" / "unlogged" / "file"]
    for file in kept:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    stage.clock.advance(2 * DAY_MS)
    stage.kafka.write(CHANGELOG, 0, ("other", "00000000"))
    stage.run(0)
    stage.worker.step()
    assert stage.kafka.restored_from[CHANGELOG, 0] == [None, None]
    assert all(file.exists() for file in kept)


def test_state_of_a_task_that_was_idle_for_days_is_not_old(stage: Stage) -> None:
    stage.run(0)
    for _ in range(48):
        stage.clock.advance(HOUR_MS)
        stage.worker.step()
    stage.worker.abandon()
    stage.kafka.write(CHANGELOG, 0, ("other", "00000000"))
    stage.run(0)
    stage.worker.step()
    assert stage.kafka.restored_from[CHANGELOG, 0] == [None, 2]


def test_a_restore_that_was_cut_short_and_goes_on_days_later_begins_anew(stage: Stage) -> None:
    stage.run(0)
    stage.close()
    stage.kafka.write(CHANGELOG, 0, ("other", "00000000"))
    stage.clock.advance(HOUR_MS)
    stage.open(0)
    stage.worker._restorer.work = lambda wait_seconds: None  # type: ignore[method-assign]
    stage.worker.step()
    stage.worker.abandon()
    stage.clock.advance(23 * HOUR_MS)
    stage.run(0)
    stage.worker.step()
    assert stage.kafka.restored_from[CHANGELOG, 0] == [None, 2, None]
