"""The state of an instance of an application, from its workers' reports: running, or over.

Other instances with the same `application.id` have tasks, too. An instance runs when its own tasks
run, as in Java, where each StreamThread is RUNNING with the tasks that it has, also with none, and
when the group has a member for each other task. A bounded run is over when its own workers are idle
for two rounds of reports, if they have all tasks; otherwise the group's committed offsets decide.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

from penstock._clock import monotonic
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.status import GONE

_log = logging.getLogger(__name__)

# Longer than the default session of a member.
_SESSION_SECONDS = 60.0


class Group(Protocol):
    """The broker's view of all instances."""

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]: ...
    def bounded_run_is_over(self) -> bool: ...


class Instance:
    """One instance of an application with these tasks."""

    def __init__(self, tasks: Iterable[str], *, bounded: bool = False) -> None:
        self._tasks = frozenset(tasks)
        self._quiescence = Quiescence(self._tasks) if bounded else None
        self._agreed: frozenset[str] | None = None
        """The own tasks with which the group last had a member for every task."""
        self._gone_at: dict[str, float] = {}
        self._last: tuple[int | None, frozenset[str] | None, bool] = (None, None, False)
        """The version that was looked at last, with what was agreed, and whether it runs."""

    def is_running(self, reports: Mapping[str, Report], version: int | None = None) -> bool:
        """Yes if all tasks of this instance run and the group has a member for each other task.

        Reports of the same `version` have the same tasks, and are not all looked at again.
        """
        agreed = self._agreed
        known, known_agreed, running = self._last
        if version is None or version != known or agreed is not known_agreed:
            own = _tasks_if_settled(reports)
            running = own is not None and own in (self._tasks, agreed)
            self._last = version, agreed, running
        return running

    def is_over(self, report: Report) -> bool:
        """Take a report; yes if it shows that a bounded run has nothing left to do."""
        # A repeated report is no second round.
        if self._quiescence is None or report.repeated:
            return False
        return self._quiescence.reached(report)

    def look_at_group(self, group: Group, reports: Mapping[str, Report]) -> bool:
        """Ask the group about the tasks that are not here; yes if a bounded run is over."""
        own = _tasks_if_settled(reports)
        if own is None or own == self._tasks:
            return False
        try:
            if own != self._agreed and self._others_have_the_rest(own, group, reports):
                self._agreed = own
            return self._quiescence is not None and group.bounded_run_is_over()
        except Exception as error:
            # The workers wait for the broker as well, and their reports say so.
            _log.info("the group cannot be asked now, trying on: %s", error)
            return False

    def _others_have_the_rest(
        self, own: frozenset[str], group: Group, reports: Mapping[str, Report]
    ) -> bool:
        gone = {member for member, report in reports.items() if report.state in GONE}
        for member in gone:
            self._gone_at.setdefault(member, monotonic())
        for member in self._gone_at.keys() - gone:
            del self._gone_at[member]
        # The group keeps a dead worker for a session. Later another worker may have its name.
        forgotten = {
            member
            for member, since in self._gone_at.items()
            if monotonic() - since >= _SESSION_SECONDS
        }
        return own | group.tasks_of_others(reports.keys() - forgotten) >= self._tasks


class Quiescence:
    """Detects the end of a bounded run: two rounds of reports in which all workers are idle.

    One round would not do: after a worker reports that it is idle, another may write to one of its
    inputs. If all report it twice and have done nothing in between, then between the two rounds
    everything was written, read and committed.
    """

    def __init__(self, tasks: Iterable[str]) -> None:
        self._tasks = frozenset(tasks)
        self._first: dict[str, Any] = {}
        self._second: set[str] = set()
        self._lock = threading.Lock()
        """Each worker's reports come on a thread of their own."""

    def reached(self, report: Report) -> bool:
        """Add a report; yes if the run is over."""
        if not report.tasks:  # a surplus worker; a task that moves shows in its new owner's report
            return False
        with self._lock:
            return self._reached(report)

    def _reached(self, report: Report) -> bool:
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


def _tasks_if_settled(reports: Mapping[str, Report]) -> frozenset[str] | None:
    """Return the tasks of all workers; None while one is restoring, or has not joined the group."""
    alive = [report for report in reports.values() if report.state not in GONE]
    states = {task: state for report in alive for task, state in report.tasks.items()}
    if not alive or any(state != "running" for state in states.values()):
        return None
    return frozenset(states) if all(report.joined for report in alive) else None
