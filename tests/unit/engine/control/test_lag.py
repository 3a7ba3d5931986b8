"""The lag counts every task: those that run here, and those without a worker."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from penstock._engine.control import lag as lag_module
from penstock._engine.control.lag import ApplicationLag
from penstock._engine.control.protocol.messages import Report

TASKS = ("0_0", "0_1", "0_2")


class FakeGroup:
    """What the broker knows: each task without a worker is 100 behind."""

    def __init__(self, *of_others: str) -> None:
        self.of_others = set(of_others)
        self.asked: list[set[str]] = []

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]:
        return self.of_others

    def lag_of(self, tasks: Collection[str]) -> int:
        self.asked.append(set(tasks))
        return 100 * len(tasks)


class GoneGroup(FakeGroup):
    """The broker does not answer."""

    def lag_of(self, tasks: Collection[str]) -> int:
        raise OSError


def worker(
    name: str, *tasks: str, lag: int | None = 0, restoring: str = "", state: str = "running"
) -> dict[str, Report]:
    states = dict.fromkeys(tasks, "running") | dict.fromkeys(restoring.split(), "restoring")
    return {name: Report(name, state, tasks=states, lag=lag)}


def test_workers_with_all_tasks_are_added_up_and_the_broker_is_not_asked() -> None:
    lag, group = ApplicationLag(TASKS), FakeGroup()
    reports = {**worker("a", "0_0", "0_1", lag=3), **worker("b", "0_2", lag=4), **worker("c")}
    lag.look(group, reports)
    assert lag.known(reports) == 7
    assert group.asked == []


def test_a_worker_that_does_not_know_its_lag_makes_it_unknown() -> None:
    reports = {**worker("a", "0_0", "0_1", lag=3), **worker("b", "0_2", lag=None)}
    assert ApplicationLag(TASKS).known(reports) is None


def test_the_tasks_of_a_dead_worker_count_with_their_committed_offsets() -> None:
    lag, group = ApplicationLag(TASKS), FakeGroup()
    reports = {**worker("a", "0_0", lag=3), **worker("b", state="lost", lag=0)}
    assert lag.known(reports) is None  # not 3
    lag.look(group, reports)
    assert group.asked == [{"0_1", "0_2"}]
    assert lag.known(reports) == 203


def test_a_task_that_is_being_restored_counts_with_its_committed_offsets() -> None:
    lag, group = ApplicationLag(TASKS), FakeGroup()
    reports = worker("a", "0_0", "0_1", lag=3, restoring="0_2")
    assert lag.known(reports) is None
    lag.look(group, reports)
    assert lag.known(reports) == 103


def test_without_any_worker_all_tasks_count() -> None:
    lag = ApplicationLag(TASKS)
    assert lag.known({}) is None
    lag.look(FakeGroup(), {})
    assert lag.known({}) == 300


def test_the_tasks_of_other_instances_are_theirs() -> None:
    lag, group = ApplicationLag(TASKS), FakeGroup("0_1", "0_2")
    reports = worker("a", "0_0", lag=3)
    lag.look(group, reports)
    assert lag.known(reports) == 3
    assert group.asked == []


def test_an_old_answer_and_one_about_other_tasks_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lag, group, now = ApplicationLag(TASKS), FakeGroup(), [1000.0]
    monkeypatch.setattr(lag_module, "monotonic", lambda: now[0])
    reports = worker("a", "0_0", lag=3)
    lag.look(group, reports)
    assert lag.known(reports) == 203
    assert lag.known(worker("a", "0_0", "0_1", lag=3)) is None
    now[0] += 11
    lag.look(GoneGroup(), reports)
    assert lag.known(reports) is None


def test_a_worker_in_a_function_that_does_not_return_counts_with_committed_offsets() -> None:
    lag, group = ApplicationLag(TASKS), FakeGroup()
    reports = {**worker("a", "0_0", lag=3), **worker("b", "0_1", "0_2", lag=0)}
    assert lag.known(reports) == 3
    reports["b"] = replace(reports["b"], lag=None, repeated=True)
    assert lag.known(reports) is None  # not 3
    lag.look(group, reports)
    assert group.asked == [{"0_1", "0_2"}]
    assert lag.known(reports) == 203


def test_a_task_that_has_moved_from_a_worker_that_hangs_counts_once() -> None:
    lag, group = ApplicationLag(TASKS), FakeGroup()
    reports = {**worker("a", *TASKS, lag=3), **worker("b", "0_2", lag=None)}
    reports["b"] = replace(reports["b"], repeated=True)
    lag.look(group, reports)
    assert lag.known(reports) == 3
    assert group.asked == []
