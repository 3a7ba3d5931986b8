"""What a backfill writes down is read again as it was."""

from __future__ import annotations

import pytest

from penstock._engine.kafka.application.backfill_journal import BackfillPlan, InputPlan, Progress
from penstock.errors import StreamsError

PLAN = BackfillPlan(
    "run-1",
    "abc",
    1_700_000_000_000,
    {"orders": InputPlan("kafka", {0: 0, 1: 5}, {0: 100, 1: 250})},
)


def test_a_plan_is_read_as_it_was_written() -> None:
    assert BackfillPlan.from_json(PLAN.to_json()) == PLAN


def test_a_plan_of_a_later_version_is_refused() -> None:
    later = PLAN.to_json().replace(b'"format": 1', b'"format": 2')

    with pytest.raises(StreamsError, match="another version"):
        BackfillPlan.from_json(later)


def test_progress_is_read_as_it_was_written() -> None:
    progress = Progress("run-1", 3, 12345, 60_000, done=True, metadata={"orders/0": "AgAAA=="})

    assert Progress.from_json(progress.to_json()) == progress
