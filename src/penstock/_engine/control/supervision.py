"""Watches a started application in the driver: its query, its topics, and the other instances.

Two threads look: one at the query and the topics, ten times a second; one at the group, every
second, where this instance does not have all tasks. What the workers' reports mean for the instance
is decided in `instance.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from penstock._engine.control.instance import Group, Instance
from penstock._engine.control.messages import Report

if TYPE_CHECKING:
    from penstock._engine.planner.blueprint import Blueprint

_WATCH_SECONDS = 0.1
_GROUP_SECONDS = 1.0


class Query(Protocol):
    """The query on Spark, as far as it is watched."""

    @property
    def group(self) -> Group: ...
    def members(self) -> Mapping[str, Report]: ...
    def shutdown_reason(self) -> str | None: ...


class Upkeep(Protocol):
    """Follows changes of topics, and starts a query again that Spark has given up."""

    def failure(self) -> str | None: ...
    def close(self) -> None: ...


class Supervision:
    """Watches until `ended()`. Calls `fail(reason)` if the application cannot go on, and `finish()`
    when a bounded run is over.
    """

    def __init__(
        self,
        ended: Callable[[], bool],
        fail: Callable[[str], None],
        finish: Callable[[], None],
    ) -> None:
        self._ended = ended
        self._fail = fail
        self._finish = finish
        self._pause = threading.Event()
        self._instance = Instance([])
        self.task_count = 0

    def follow_plan(self, blueprint: Blueprint) -> None:
        """Take the plan by which the application runs from now on."""
        tasks = [task.id for task in blueprint.tasks]
        self.task_count = len(tasks)
        self._instance = Instance(tasks, bounded=blueprint.ends is not None)

    def watch(self, query: Query, upkeep: Upkeep) -> None:
        """Start the threads that watch."""
        for work in (lambda: self._watch_query(query, upkeep), lambda: self._watch_group(query)):
            threading.Thread(target=work, name="penstock-watch", daemon=True).start()

    def is_running(self, reports: Mapping[str, Report]) -> bool:
        """Yes if all tasks of this instance run, and the other instances have the rest."""
        return self._instance.is_running(reports)

    def is_over(self, report: Report) -> bool:
        """Take a report; yes if it shows that a bounded run has nothing left to do."""
        return self._instance.is_over(report)

    def _watch_query(self, query: Query, upkeep: Upkeep) -> None:
        """Notice a query that ended by itself: stopped by the user through Spark, or failed; topics
        that are gone; and other instances that ask all to end.
        """
        while not self._ended():
            self._pause.wait(_WATCH_SECONDS)
            failure = upkeep.failure()
            if failure is None and (reason := query.shutdown_reason()) is not None:
                failure = f"another instance asked all to end: {reason}"
            if failure is not None:
                self._fail(failure)
                break
        upkeep.close()

    def _watch_group(self, query: Query) -> None:
        """Ask what the other instances do, where this one does not have all tasks."""
        while not self._ended():
            self._pause.wait(_GROUP_SECONDS)
            if self._instance.look_at_group(query.group, query.members()):
                self._finish()
                return
