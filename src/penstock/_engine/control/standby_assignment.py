"""Assigns standby copies of tasks to workers, in the driver, which sees all workers.

A copy is kept on another machine than its task: workers that share a state directory share the
state of their tasks. Kafka's group protocol assigns tasks without regard to copies; with as many
replicas as there are other machines, each machine has one. Java: StandbyTaskAssignor.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from heapq import heapify, heappop, heappush, heapreplace

from penstock._engine.control.protocol.messages import Report
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
    machines = _Machines(alive)
    for task in tasks:
        taken = {home_of_task.get(task)}
        for _ in range(replicas):
            keeper = machines.take_least_loaded(taken)
            if keeper is None:
                break
            chosen[keeper].append(task)
            taken.add(alive[keeper].home)
    return {name: tuple(kept) for name, kept in chosen.items()}


class _Machines:
    """The workers of each machine in heaps by load, and the machines in a heap by the load of
    their least loaded worker: a choice looks at no more machines than a task has copies.

    Equal loads are in the order of the workers' names: the same answer as long as nothing changes.
    """

    def __init__(self, alive: Mapping[str, Report]) -> None:
        self._names = list(alive)
        self._workers: dict[str, list[tuple[int, int]]] = {}
        for index, report in enumerate(alive.values()):
            self._workers.setdefault(report.home, []).append((0, index))
        self._homes = [(workers[0], home) for home, workers in self._workers.items()]
        heapify(self._homes)

    def take_least_loaded(self, taken: Collection[str | None]) -> str | None:
        """Return the least loaded worker whose machine is not `taken`, and add one to its load."""
        passed = []
        found: str | None = None
        while self._homes and found is None:
            (load, index), home = heappop(self._homes)
            if home in taken:
                passed.append(((load, index), home))
                continue
            workers = self._workers[home]
            heapreplace(workers, (load + 1, index))
            passed.append((workers[0], home))
            found = self._names[index]
        for entry in passed:
            heappush(self._homes, entry)
        return found
