"""Which worker keeps copies of which tasks: the driver chooses, since only it sees all workers.

Copies lie where the task does not run: workers that share a state directory share its tasks' state,
too. Kafka's group protocol gives a task to whom it will, copy or not; with as many replicas as
there are other machines, everybody has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from penstock._engine.control.messages import Report
from penstock._engine.control.status import GONE


def choose_standbys(
    tasks: Iterable[str], reports: Mapping[str, Report], replicas: int
) -> dict[str, tuple[str, ...]]:
    """Give the tasks that each worker keeps copies of: `replicas` for a task, each on a machine of
    its own. A task that none of these workers runs is another instance's, and has them as well.
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
            # The first of those with the least to do: the same answer as long as nothing changes.
            keeper = min(free, key=lambda name: load[name])
            chosen[keeper].append(task)
            load[keeper] += 1
            taken.add(alive[keeper].home)
    return {name: tuple(kept) for name, kept in chosen.items()}
