"""What a running application does about changes that are not its own.

Topics get more partitions or are deleted, and Spark gives a query up whose Python processes have
died a few times. New partitions mean new tasks: all workers finish and begin again with the new
plan. Java: the group leader makes new tasks after a refresh of its metadata, or the application
ends with MissingSourceTopicException.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from penstock._clock import monotonic
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.application.topic_watch import LOOK_SECONDS, TopicChange, TopicWatch
from penstock._engine.kafka.client.client_errors import BrokerAway
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_FINISH_SECONDS = 60.0
_AWAY_SECONDS = 1.0
_REVIVALS = 20
_REVIVAL_SECONDS = 600.0


class Query(Protocol):
    """What is known of the query, and can be done with it."""

    def failure(self) -> str | None: ...
    def was_given_up(self, failure: str) -> bool: ...
    def rest(self, timeout_seconds: float) -> bool: ...
    def go_on(self, blueprint: Blueprint) -> None: ...


class Upkeep:
    """Looks after one running application. `on_plan` is given each new plan."""

    def __init__(
        self,
        topology: Topology,
        blueprint: Blueprint,
        query: Query,
        on_plan: Callable[[Blueprint], None],
    ) -> None:
        self._topology = topology
        self._blueprint = blueprint
        self._query = query
        self._on_plan = on_plan
        self._revived: list[float] = []
        self._changes: list[TopicChange] = []
        self._closed = threading.Event()
        threading.Thread(target=self._look, name="penstock-topics", daemon=True).start()

    def close(self) -> None:
        """Look no more."""
        self._closed.set()

    def failure(self) -> str | None:
        """Do what is to be done; return why the application must end, None if it goes on."""
        try:
            return self._failure()
        except Exception as error:
            # Without this thread nobody would notice anything any more.
            _log.exception("the application cannot be looked after")
            return f"the application cannot be looked after: {type(error).__name__}: {error}"

    def _failure(self) -> str | None:
        if self._changes:
            return self._follow(self._changes.pop())
        failure = self._query.failure()
        if failure is None or not (self._query.was_given_up(failure) and self._may_revive()):
            return failure
        _log.warning("Spark ended the query, which is started again: %s", failure)
        self._query.rest(_FINISH_SECONDS)
        self._query.go_on(self._blueprint)
        return None

    def _may_revive(self) -> bool:
        now = monotonic()
        self._revived = [at for at in self._revived if at > now - _REVIVAL_SECONDS] + [now]
        return len(self._revived) <= _REVIVALS

    def _follow(self, change: TopicChange) -> str | None:
        if change.must_end:
            return (
                f"{change}; an application cannot go on without the topics that it reads and "
                "restores from: make them again, reset the application, and start it anew"
            )
        if self._blueprint.ends is not None:
            return None  # a bounded run ends where its topics ended when it began
        _log.warning(
            "application=%s: %s; planned anew", self._blueprint.config.application_id, change
        )
        self._query.rest(_FINISH_SECONDS)
        until = monotonic() + self._blueprint.config.task_timeout_ms / 1000
        while True:
            try:
                self._blueprint = prepare(self._topology, self._blueprint.config)
            except BrokerAway as away:
                # The cluster is waited for here as everywhere.
                if monotonic() >= until or self._closed.wait(_AWAY_SECONDS):
                    return f"{change}; the application cannot follow: {away}"
            except StreamsError as error:
                return f"{change}; the application cannot follow: {error}"
            else:
                break
        self._on_plan(self._blueprint)
        self._query.go_on(self._blueprint)
        return None

    def _look(self) -> None:
        planned, watch = None, None
        while not self._closed.wait(LOOK_SECONDS):
            try:
                if watch is None or planned is not self._blueprint:
                    planned = self._blueprint
                    watch = TopicWatch(self._topology, planned.config, planned)
                change = watch.look()
            except Exception as error:
                # The workers wait for the cluster as well, and say so.
                _log.info("the topics cannot be looked at now: %s", error)
                continue
            if change is not None and planned is self._blueprint and not self._changes:
                self._changes.append(change)
