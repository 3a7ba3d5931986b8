"""Who keeps copies of which tasks."""

from __future__ import annotations

from penstock._engine.control.messages import Report
from penstock._engine.control.standby_assignment import assign_standbys

TASKS = ("0_0", "0_1", "0_2")


def worker(name: str, home: str, *tasks: str, state: str = "running") -> dict[str, Report]:
    return {name: Report(name, state, tasks=dict.fromkeys(tasks, "running"), home=home)}


def test_copies_are_where_the_task_is_not() -> None:
    reports = {**worker("a", "one", "0_0", "0_1"), **worker("b", "two", "0_2")}
    assert assign_standbys(TASKS, reports, 1) == {"a": ("0_2",), "b": ("0_0", "0_1")}


def test_workers_of_one_machine_share_its_state_and_the_copies() -> None:
    reports = {
        **worker("a", "one", "0_0", "0_1", "0_2"),
        **worker("b", "one"),
        **worker("c", "two"),
        **worker("d", "two"),
    }
    chosen = assign_standbys(TASKS, reports, 2)
    assert chosen == {"a": (), "b": (), "c": ("0_0", "0_2"), "d": ("0_1",)}


def test_the_dead_keep_nothing_and_tasks_of_other_instances_have_copies_here() -> None:
    reports = {**worker("a", "one", "0_0"), **worker("b", "two", state="lost")}
    assert assign_standbys(TASKS, reports, 1) == {"a": ("0_1", "0_2")}


def test_without_replicas_there_are_none() -> None:
    reports = {**worker("a", "one", "0_0"), **worker("b", "two")}
    assert assign_standbys(TASKS, reports, 0) == {"a": (), "b": ()}
