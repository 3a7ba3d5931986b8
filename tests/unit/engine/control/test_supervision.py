"""What the driver notices of a started application, and that it stops looking at its end."""

from __future__ import annotations

import threading
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any, cast

from penstock._engine.control.messages import Report
from penstock._engine.control.supervision import Supervision
from penstock._engine.planner.blueprint import Blueprint

PATIENCE_SECONDS = 10


class FakeQuery:
    """A query with one worker that runs task 0_0; the other task is another instance's."""

    reason: str | None = None
    over = False

    @property
    def group(self) -> FakeQuery:
        return self

    def members(self) -> dict[str, Report]:
        return {"a": Report("a", "running", tasks={"0_0": "running"})}

    def shutdown_reason(self) -> str | None:
        return self.reason

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]:
        return {"0_1"}

    def bounded_run_is_over(self) -> bool:
        return self.over


class FakeUpkeep:
    """Fails when the test says so."""

    trouble: str | None = None

    def __init__(self) -> None:
        self.closed = threading.Event()

    def failure(self) -> str | None:
        return self.trouble

    def close(self) -> None:
        self.closed.set()


class Watched:
    """An application that is watched."""

    def __init__(self, *, bounded: bool = False) -> None:
        self.query, self.upkeep = FakeQuery(), FakeUpkeep()
        self.ended, self.finished = threading.Event(), threading.Event()
        self.failures: list[str] = []
        self.supervision = Supervision(self.ended.is_set, self._fail, self._finish)
        tasks = [SimpleNamespace(id="0_0"), SimpleNamespace(id="0_1")]
        plan: Any = SimpleNamespace(tasks=tasks, ends={} if bounded else None)
        self.supervision.follow_plan(cast("Blueprint", plan))

    def watch(self) -> None:
        self.supervision.watch(self.query, self.upkeep)

    def _fail(self, reason: str) -> None:
        self.failures.append(reason)
        self.ended.set()

    def _finish(self) -> None:
        self.finished.set()
        self.ended.set()


def test_a_failure_ends_the_watch() -> None:
    watched = Watched()
    watched.upkeep.trouble = "the query was stopped"
    watched.watch()
    assert watched.upkeep.closed.wait(PATIENCE_SECONDS)
    assert watched.failures == ["the query was stopped"]


def test_another_instance_may_ask_all_to_end() -> None:
    watched = Watched()
    watched.query.reason = "bad"
    watched.watch()
    assert watched.upkeep.closed.wait(PATIENCE_SECONDS)
    assert watched.failures == ["another instance asked all to end: bad"]


def test_the_group_says_when_a_bounded_run_is_over() -> None:
    watched = Watched(bounded=True)
    watched.query.over = True
    watched.watch()
    assert watched.finished.wait(PATIENCE_SECONDS)
    assert watched.upkeep.closed.wait(PATIENCE_SECONDS)


def test_what_has_ended_is_not_watched() -> None:
    watched = Watched()
    watched.ended.set()
    watched.watch()
    assert watched.upkeep.closed.wait(PATIENCE_SECONDS)
    assert watched.failures == []


def test_the_plan_says_how_many_tasks_there_are() -> None:
    assert Watched().supervision.task_count == 2
