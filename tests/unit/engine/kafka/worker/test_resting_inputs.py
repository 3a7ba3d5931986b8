"""Offsets of inputs of which nothing comes are committed again, unless the broker dropped them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock._engine.kafka.client.client_errors import BrokerAway
from tests.unit.engine.kafka.worker.fake_kafka import FakeInputs
from tests.unit.engine.kafka.worker.stage import Stage

HOUR_MS = 3_600_000


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage with two records in the first partition, and one in the second."""
    made = Stage(tmp_path)
    made.kafka.write("in", 0, ("a", "x"), ("a", "y"))
    made.kafka.write("in", 1, ("b", "z"))
    yield made
    if made.is_open:
        made.worker.abandon()
    made.host.close()


def test_an_input_that_rests_beside_a_busy_one_is_committed_again_every_hour(stage: Stage) -> None:
    """The broker would forget its offset after `offsets.retention.minutes`."""
    stage.run(0, 1)
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.kafka.take_events()
    stage.step_and_commit()
    assert "commit in-0@3" in stage.kafka.take_events()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.clock.advance(HOUR_MS)
    stage.worker.step()
    assert "commit in-0@4, in-1@1" in stage.kafka.take_events()


def test_an_input_whose_offset_the_broker_dropped_with_its_topic_is_not_committed_again(
    stage: Stage,
) -> None:
    """That commit would be refused as a whole, or count for the topic that is made next."""
    stage.run(0, 1)
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    del stage.kafka.committed["in", 1]
    stage.clock.advance(HOUR_MS)
    stage.kafka.take_events()
    stage.worker.step()
    assert "commit in-0@3" in stage.kafka.take_events()
    stage.close()
    assert ("in", 1) not in stage.kafka.committed


def test_a_worker_that_gives_tasks_away_commits_nothing_but_their_work(stage: Stage) -> None:
    """The next owner commits again what rests."""
    stage.run(0, 1)
    stage.step_and_commit()
    stage.kafka.write("in", 0, ("a", "x"))
    stage.worker.step()
    stage.kafka.take_events()
    stage.kafka.membership.revoke(0)
    stage.worker.step()
    assert "commit in-0@3" in stage.kafka.take_events()
    stage.worker.rejoin()
    assert "commit app-penstock-tasks-1@0" in stage.kafka.take_events()


def test_a_worker_that_cannot_ask_for_its_offsets_closes_without_committing_them_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.run(0)
    stage.step_and_commit()

    def away(*_: Any) -> dict[Any, Any]:
        raise BrokerAway("away")

    monkeypatch.setattr(FakeInputs, "committed", away)
    stage.kafka.take_events()
    stage.close()
    assert "commit app-penstock-tasks-0@0" in stage.kafka.take_events()
    assert stage.kafka.committed["in", 0][0] == 2
