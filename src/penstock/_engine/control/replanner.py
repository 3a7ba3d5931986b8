"""Reacts to what changes from outside while an application runs.

Topics get more partitions or are deleted, and Spark ends a query whose Python processes have died a
few times. New partitions mean new tasks: all workers finish and start again with a new plan. Java:
the group leader makes new tasks after a refresh of its metadata, or the application ends with
MissingSourceTopicException.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from penstock._clock import monotonic
from penstock._engine.control.start_attempts import StartAttempts
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.application.topic_watch import LOOK_SECONDS, TopicChange, TopicWatch
from penstock._engine.kafka.client.client_errors import BrokerAway
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_FINISH_SECONDS = 60.0
_AWAY_SECONDS = 1.0
_RESTARTS_MAX = 20
_RESTART_SECONDS = 1800.0


class Query(Protocol):
    """The query that is supervised; see ApplicationQuery."""

    def failure(self) -> str | None: ...
    def lost_its_workers(self, failure: str) -> bool: ...
    def never_began(self, failure: str) -> bool: ...
    def suspend(self, timeout_seconds: float) -> bool: ...
    def resume(self, blueprint: Blueprint) -> None: ...


class Replanner:
    """Restarts the query of one application if need be; `on_plan` gets each new plan."""

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
        self._restarts: list[float] = []
        self._starts = StartAttempts()
        self._changes: list[TopicChange] = []
        self._closed = threading.Event()
        threading.Thread(target=self._watch_topics, name="penstock-topics", daemon=True).start()

    def close(self) -> None:
        """Stop watching the topics."""
        self._closed.set()

    def check(self) -> str | None:
        """Restart the query if need be; return why the application must end, None if it goes on."""
        try:
            return self._check()
        except Exception as error:
            # An application without its replanner would not notice failures: it ends.
            _log.exception("the application cannot be looked after")
            return f"the application cannot be looked after: {type(error).__name__}: {error}"

    def _check(self) -> str | None:
        if self._changes:
            return self._follow(self._changes.pop())
        failure = self._query.failure()
        if failure is None or not self._query.lost_its_workers(failure):
            return failure
        if self._query.never_began(failure) and not self._starts.may_follow(monotonic()):
            return f"{failure}; it was started {self._starts.failed} times in vain"
        if not self._may_restart():
            return failure
        _log.warning("Spark ended the query, which is started again: %s", failure)
        self._query.suspend(_FINISH_SECONDS)
        self._query.resume(self._blueprint)
        return None

    def _may_restart(self) -> bool:
        now = monotonic()
        self._restarts = [at for at in self._restarts if at > now - _RESTART_SECONDS] + [now]
        return len(self._restarts) <= _RESTARTS_MAX

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
        self._query.suspend(_FINISH_SECONDS)
        until = monotonic() + self._blueprint.config.task_timeout_ms / 1000
        while True:
            try:
                self._blueprint = prepare(self._topology, self._blueprint.config)
            except BrokerAway as away:
                # Waits for the cluster, as all parts do.
                if monotonic() >= until or self._closed.wait(_AWAY_SECONDS):
                    return f"{change}; the application cannot follow: {away}"
            except StreamsError as error:
                return f"{change}; the application cannot follow: {error}"
            else:
                break
        self._on_plan(self._blueprint)
        self._query.resume(self._blueprint)
        return None

    def _watch_topics(self) -> None:
        planned, watch = None, None
        while not self._closed.wait(LOOK_SECONDS):
            try:
                if watch is None or planned is not self._blueprint:
                    planned = self._blueprint
                    watch = TopicWatch(self._topology, planned.config, planned)
                change = watch.look()
            except Exception as error:
                # The workers wait for the cluster as well, and log it.
                _log.info("the topics cannot be looked at now: %s", error)
                continue
            if change is not None and planned is self._blueprint and not self._changes:
                self._changes.append(change)
