"""What a backfill writes down is read again as it was."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from penstock._engine.kafka.application.backfill_journal import BackfillPlan, InputPlan, Progress
from penstock.errors import StreamsError

PLAN = BackfillPlan(
    "run-1",
    "abc",
    1_700_000_000_000,
    {"orders": InputPlan("kafka", {0: 0, 1: 5}, {0: 100, 1: 250})},
    tasks=("0_0", "0_1", "1_0"),
)


def test_a_plan_is_read_as_it_was_written() -> None:
    assert BackfillPlan.from_json(PLAN.to_json()) == PLAN


def test_a_plan_of_a_later_version_is_refused() -> None:
    later = PLAN.to_json().replace(b'"format": 3', b'"format": 4')

    with pytest.raises(StreamsError, match="another version"):
        BackfillPlan.from_json(later)


def test_progress_is_read_as_it_was_written() -> None:
    progress = Progress("run-1", 3, 12345, 60_000, done=True, metadata={"orders/0": "AgAAA=="})

    assert Progress.from_json(progress.to_json()) == progress


def test_a_backfill_that_an_earlier_version_has_begun_keeps_its_commits() -> None:
    """Commits decide which updates a cache lets out: a resumed task must write the same ones."""
    document = json.loads(PLAN.to_json())
    del document["records_per_commit"], document["bytes_per_commit"], document["tasks"]
    earlier = json.dumps({**document, "format": 1}).encode()

    begun = replace(PLAN, records_per_commit=10_000, bytes_per_commit=None, tasks=())
    assert BackfillPlan.from_json(earlier) == begun
    document |= {"records_per_commit": 50_000, "bytes_per_commit": 16 * 1024 * 1024}
    before = json.dumps({**document, "format": 2}).encode()
    assert BackfillPlan.from_json(before) == replace(PLAN, tasks=())


def test_a_backfill_does_not_go_on_with_other_partitions() -> None:
    """The progress of a task is where the task is in the plan: all behind a new one move."""
    PLAN.check_tasks(["0_0", "0_1", "1_0"], {"orders": 2, "payments": 1})
    with pytest.raises(StreamsError, match=r"'orders' had 2 partitions and has 3;.*--reset"):
        PLAN.check_tasks(["0_0", "0_1", "0_2", "1_0"], {"orders": 3, "payments": 1})
    # A topic that the program writes itself and reads again is no input of the plan.
    with pytest.raises(StreamsError, match="had tasks 0_0, 0_1, 1_0 and has 0_0, 0_1, 1_0, 1_1"):
        PLAN.check_tasks(["0_0", "0_1", "1_0", "1_1"], {"orders": 2, "through": 2})
    # One that an earlier version has begun knows the partitions of its inputs.
    with pytest.raises(StreamsError, match="'orders' had 2 partitions and has 3"):
        replace(PLAN, tasks=()).check_tasks(["0_0"], {"orders": 3})
