"""When a bounded run is over: two rounds of reports in which no worker had or did anything.

One round would not do: after a worker said that it has nothing left, another may have written to
one of its inputs. But if all said so, and all say so again and have done nothing in between, then
at the moment between the two rounds everything had been written, read and committed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock._engine.control.messages import Report


class Quiescence:
    """Hears all reports of a bounded run."""

    def __init__(self, tasks: Iterable[str]) -> None:
        self._tasks = frozenset(tasks)
        self._first: dict[str, Any] = {}
        self._second: set[str] = set()

    def reached(self, report: Report) -> bool:
        """Take a report; tell whether the run is over."""
        if not report.tasks:  # a worker too many; whoever gives tasks away tells of it, too
            return False
        done = (report.tasks, report.counters, report.records_out)
        if not report.caught_up or self._first.get(report.member_id, done) != done:
            self._first.clear()
            self._second.clear()
            return False
        if self._is_round(self._first):
            self._second.add(report.member_id)
        else:
            self._first[report.member_id] = done
        return self._second >= self._first.keys() and self._is_round(self._first)

    def _is_round(self, reports: dict[str, Any]) -> bool:
        return {task for tasks, _, _ in reports.values() for task in tasks} == self._tasks
