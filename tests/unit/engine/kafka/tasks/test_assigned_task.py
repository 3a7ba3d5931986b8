"""What a query sees of a task of a worker. How it starts is tested with a broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penstock._engine.kafka.tasks.assigned_task import AssignedTask
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.runtime.task import Task
from penstock._engine.state.files.attempts import AttemptFile
from penstock._engine.state.files.state_times import StateTimes
from tests.unit.engine.runtime.test_task import echo, hosted


class Host:
    """A host of one task."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def open(self, plan: TaskPlan) -> Task:
        return hosted(echo, {}, start=False)

    def attempts(self, plan: TaskPlan) -> AttemptFile:
        return AttemptFile(self._directory / "attempt")

    def state_times(self, plan: TaskPlan) -> StateTimes:
        return StateTimes(self._directory / "times")


def test_a_task_that_is_being_restored_claims_no_position(tmp_path: Path) -> None:
    host: Any = Host(tmp_path)
    plan: Any = None
    assigned = AssignedTask(plan, host)
    assigned.task.resume(("in", 0), 7, "")
    assert assigned.position(uncommitted=True) == {}
    assert assigned.position(uncommitted=False) == {}
    assigned.start(0)
    assert assigned.position(uncommitted=True) == {"in": {0: 6}}
    assert assigned.position(uncommitted=False) == {"in": {0: 6}}
