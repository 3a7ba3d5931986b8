"""Who keeps copies of which tasks."""

from __future__ import annotations

from random import Random

from penstock._engine.control.protocol.messages import Report
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


def test_the_choice_is_the_first_of_the_least_loaded_on_another_machine() -> None:
    """Compared with the plain search over all workers, which takes too long for many."""
    random = Random(7)
    for _ in range(200):
        names = [f"w{number}" for number in range(random.randrange(1, 9))]
        tasks = [f"0_{number}" for number in range(12)]
        owners = {task: random.choice(names) for task in tasks if random.random() < 0.9}
        reports: dict[str, Report] = {}
        for name in names:
            own = [task for task in tasks if owners.get(task) == name]
            reports |= worker(name, f"home{random.randrange(4)}", *own)
        replicas = random.randrange(4)
        assert assign_standbys(tasks, reports, replicas) == plainly(tasks, reports, replicas)


def plainly(
    tasks: list[str], reports: dict[str, Report], replicas: int
) -> dict[str, tuple[str, ...]]:
    home = {task: report.home for report in reports.values() for task in report.tasks}
    chosen: dict[str, tuple[str, ...]] = dict.fromkeys(sorted(reports), ())
    for task in tasks:
        taken = {home.get(task)}
        for _ in range(replicas):
            free = [name for name in chosen if reports[name].home not in taken]
            if free:
                keeper = min(free, key=lambda name: len(chosen[name]))
                chosen[keeper] += (task,)
                taken.add(reports[keeper].home)
    return chosen
