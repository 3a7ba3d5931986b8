"""The lag of an application: what its workers know, and what the group says of all other tasks.

A worker knows the lag of the tasks that it runs. A task that is being restored, that moves, or
whose worker has died or is in a function that does not return is in no worker's lag: it counts with
its committed offsets, which the broker knows. Until the broker has been asked, the lag is not
known; it is never too small.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from penstock._clock import monotonic
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.status import GONE

_log = logging.getLogger(__name__)

# Asked each second while tasks have no worker.
_FRESH_SECONDS = 10.0


class Group(Protocol):
    """The broker's view of all instances."""

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]: ...
    def lag_of(self, tasks: Collection[str]) -> int: ...


class _GroupLag(NamedTuple):
    """An answer of the broker about tasks that do not run in this instance."""

    tasks: frozenset[str]
    """The tasks that it was asked about."""
    lag: int
    """How many records wait for those of `tasks` that no instance runs."""
    at: float
    settled: bool
    """Whether other instances have all of these tasks."""


class ApplicationLag:
    """The lag of one instance and of all tasks that no instance runs."""

    def __init__(self, tasks: Iterable[str]) -> None:
        self._tasks = frozenset(tasks)
        self._of_others = _GroupLag(frozenset(), 0, 0.0, settled=True)

    def known(self, reports: Mapping[str, Report]) -> int | None:
        """Return how many records wait, None if that is not known."""
        telling = _telling(reports)
        lags = [report.lag for report in telling if report.tasks]
        rest = self._not_running(telling)
        if rest:
            answer = self._of_others
            if answer.tasks != rest or monotonic() - answer.at > _FRESH_SECONDS:
                return None
            lags.append(answer.lag)
        return None if None in lags else sum(lag for lag in lags if lag is not None)

    def look(self, group: Group, reports: Mapping[str, Report]) -> None:
        """Ask the broker about the tasks that do not run here, or whose workers do not come to
        count; call it each second, on one thread.
        """
        rest = self._not_running(_telling(reports))
        last = self._of_others
        recent = monotonic() - last.at < _FRESH_SECONDS / 2
        if not rest or (last.settled and last.tasks == rest and recent):
            return
        try:
            unowned = rest - group.tasks_of_others(reports.keys())
            lag = group.lag_of(unowned) if unowned else 0
        except Exception as error:
            _log.info("the lag of tasks without a worker cannot be asked for now: %s", error)
            return
        self._of_others = _GroupLag(rest, lag, monotonic(), settled=not unowned)

    def _not_running(self, telling: Iterable[Report]) -> frozenset[str]:
        return self._tasks - {
            task for one in telling for task, state in one.tasks.items() if state == "running"
        }


def _telling(reports: Mapping[str, Report]) -> list[Report]:
    """Return the reports of workers that are alive and come to report; what others say is old."""
    return [one for one in reports.values() if one.state not in GONE and not one.repeated]
