"""Assigns standby copies of tasks to workers, in the driver, which sees all workers.

A copy is kept on another machine than its task: workers that share a state directory share the
state of their tasks. Kafka's group protocol assigns tasks without regard to copies; with as many
replicas as there are other machines, each machine has one. Java: StandbyTaskAssignor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from penstock._engine.control.messages import Report
from penstock._engine.control.status import GONE


def assign_standbys(
    tasks: Iterable[str], reports: Mapping[str, Report], replicas: int
) -> dict[str, tuple[str, ...]]:
    """Return the tasks of which each worker keeps a copy: `replicas` for each task, each on another
    machine. A task that none of these workers runs is another instance's, and has copies as well.
    """
    alive = {name: report for name, report in sorted(reports.items()) if report.state not in GONE}
    home_of_task = {task: report.home for report in alive.values() for task in report.tasks}
    chosen: dict[str, list[str]] = {name: [] for name in alive}
    load: Counter[str] = Counter()
    for task in tasks:
        taken = {home_of_task.get(task)}
        for _ in range(replicas):
            free = [name for name, report in alive.items() if report.home not in taken]
            if not free:
                break
            # The first of the least loaded: the same answer as long as nothing changes.
            keeper = min(free, key=lambda name: load[name])
            chosen[keeper].append(task)
            load[keeper] += 1
            taken.add(alive[keeper].home)
    return {name: tuple(kept) for name, kept in chosen.items()}
