"""What an instance of an application makes of its workers' reports: does it run, is it over?

Other instances with the same `application.id` have tasks, too. So an instance runs when its own
tasks do, as in Java, where each StreamThread is RUNNING with the tasks that it has, also with none;
and the group must have somebody for the others. A bounded run is over when its own workers have and
do nothing any more, if they have all tasks; otherwise the committed offsets of the group say so.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from penstock._clock import monotonic
from penstock._engine.control.messages import Report
from penstock._engine.control.quiescence import Quiescence
from penstock._engine.control.status import GONE

_log = logging.getLogger(__name__)

# Longer than the default session of a member.
_SESSION_SECONDS = 60.0


class Group(Protocol):
    """What the broker knows of all instances."""

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]: ...
    def bounded_run_is_over(self) -> bool: ...


class Instance:
    """One instance of an application with these tasks."""

    def __init__(self, tasks: Iterable[str], *, bounded: bool = False) -> None:
        self._tasks = frozenset(tasks)
        self._quiescence = Quiescence(self._tasks) if bounded else None
        self._agreed: frozenset[str] | None = None
        """The tasks with which this instance was found to do its share of the work."""
        self._gone_at: dict[str, float] = {}

    def is_running(self, reports: Mapping[str, Report]) -> bool:
        """Yes if all tasks of this instance run and the group has somebody for all others."""
        own = _tasks_if_settled(reports)
        return own is not None and own in (self._tasks, self._agreed)

    def is_over(self, report: Report) -> bool:
        """Take a report; yes if it shows that a bounded run has nothing left to do."""
        # What is told once more is no second look.
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
            # The workers wait for the broker as well, and the reports say so.
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
        # The group keeps a worker that died for a while. Later its name is another worker's.
        forgotten = {
            member
            for member, since in self._gone_at.items()
            if monotonic() - since >= _SESSION_SECONDS
        }
        return own | group.tasks_of_others(reports.keys() - forgotten) >= self._tasks


def _tasks_if_settled(reports: Mapping[str, Report]) -> frozenset[str] | None:
    """Return the tasks of all workers; None while one is restoring, or has not joined the group."""
    alive = [report for report in reports.values() if report.state not in GONE]
    states = {task: state for report in alive for task, state in report.tasks.items()}
    if not alive or any(state != "running" for state in states.values()):
        return None
    return frozenset(states) if all(report.joined for report in alive) else None
