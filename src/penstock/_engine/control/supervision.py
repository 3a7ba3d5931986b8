"""Supervises a started application in the driver: what reports and the cluster mean for its state.

The workers' reports say whether it runs, whether a bounded run is over, and what has failed. Two
threads look at the rest: one at the query and the topics, ten times a second; one at the group,
every second, where this instance does not have all tasks (see `instance.py`).
"""

from __future__ import annotations

import inspect
import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from penstock._engine.control.instance import Group, Instance
from penstock._engine.control.printed_lines import print_here
from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.control.recent_errors import RecentErrors
from penstock._engine.metrics.restore_events import tell, tell_standby
from penstock._engine.topology.checks import shown
from penstock.application_states import State, StateMachine, UncaughtResponse, name_of
from penstock.errors import StreamsError, text_of
from penstock.stores import StandbyUpdateListener, StateRestoreListener

if TYPE_CHECKING:
    from penstock._engine.planner.blueprint import Blueprint

_log = logging.getLogger(__name__)

_WATCH_SECONDS = 0.1
_GROUP_SECONDS = 1.0

UncaughtHandler = Callable[[WorkerFailure], UncaughtResponse]
"""Returns what to do about a worker that failed.

>>> def replace_it(failure):
...     print(failure.message)
...     return UncaughtResponse.REPLACE_THREAD
>>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
>>> streams.set_uncaught_exception_handler(replace_it)
"""


class Query(Protocol):
    """The query on Spark, as far as it is supervised."""

    @property
    def group(self) -> Group: ...
    @property
    def membership_version(self) -> int: ...
    def members(self) -> Mapping[str, Report]: ...
    def look_at_lag(self) -> None: ...
    def look_for_orphans(self) -> None: ...
    def look_at_session(self) -> None: ...
    def announce(self) -> None: ...
    def shutdown_reason(self) -> str | None: ...
    def post_shutdown(self, reason: str) -> None: ...


class Replanner(Protocol):
    """Follows changes of topics, and starts a query again that Spark has given up."""

    def check(self) -> str | None: ...
    def close(self) -> None: ...


class Supervision:
    """Moves `states` as the workers report; calls `close`, on a thread of its own, when the
    application has failed or a bounded run is over.
    """

    def __init__(self, states: StateMachine, close: Callable[[], object]) -> None:
        self._states = states
        self._close = close
        self._pause = threading.Event()
        self._instance = Instance([])
        self._query: Query | None = None
        self._early: list[Report] = []
        """Reports that came before the query was known."""
        self._following = threading.Lock()
        self._asks_all_to_end = False
        """Whether this instance has failed and says so to the others: it hears itself, too."""
        self.task_count = 0
        self.errors = RecentErrors()
        self.failure: WorkerFailure | None = None
        """The failure that ended the application, None if none did."""
        self.uncaught: UncaughtHandler = lambda failure: UncaughtResponse.SHUTDOWN_CLIENT
        self.restore_listener: StateRestoreListener | None = None
        self.standby_listener: StandbyUpdateListener | None = None
        self.failure_is_raised = False
        """Whether the user's program gets the failure as an exception: then it is not logged."""

    def follow_plan(self, blueprint: Blueprint) -> None:
        """Take the plan by which the application runs from now on."""
        tasks = [task.id for task in blueprint.tasks]
        self.task_count = len(tasks)
        self._instance = Instance(tasks, bounded=blueprint.ends is not None)

    def follow_query(self, query: Query) -> None:
        """Take the query whose workers report, and the reports that came before: workers may begin
        while their query is made.
        """
        with self._following:
            self._query = query
            early, self._early = self._early, []
            for report in early:
                self._take(report)

    def watch(self, query: Query, replanner: Replanner) -> None:
        """Start the threads that watch until the end."""
        for work in (lambda: self._watch_query(query, replanner), lambda: self._watch_group(query)):
            threading.Thread(target=work, name="penstock-watch", daemon=True).start()

    def take_report(self, report: Report) -> None:
        """Take a worker's report: the state of all of them is the state of the application."""
        with self._following:
            if self._query is None:
                self._early.append(report)
                return
        self._take(report)

    def _take(self, report: Report) -> None:
        print_here(report.printed)
        self.errors.take(report)
        self._call_listeners(report)
        if report.failure is not None:
            self._worker_failed(report.member_id, report.failure)
            return
        assert self._query is not None
        # The version first: a report that comes in between has a newer one.
        version = self._query.membership_version
        running = self._instance.is_running(self._query.members(), version)
        with self._states.lock:
            if running and self._states.state is State.REBALANCING:
                self._states.move(State.RUNNING)
            elif not running and self._states.state is State.RUNNING:
                self._states.move(State.REBALANCING)
        if self._instance.is_over(report):
            self._close_soon()

    def _worker_failed(self, member_id: str, failure: WorkerFailure) -> None:
        response = self._response_to(failure)
        if not self.failure_is_raised or response is UncaughtResponse.REPLACE_THREAD:
            _log.error("worker=%s failed, %s: %s", member_id, response.value, failure.message)
        assert self._query is not None
        if response is UncaughtResponse.SHUTDOWN_APPLICATION:
            self._asks_all_to_end = True
            try:
                self._query.post_shutdown(failure.message)
            except Exception:
                _log.exception("this instance ends; others with its 'application.id' may go on")
        if response is not UncaughtResponse.REPLACE_THREAD:
            self._fail(failure)

    def _response_to(self, failure: WorkerFailure) -> UncaughtResponse:
        """Ask the handler; one that does not answer ends this instance, as without a handler: a
        worker whose failure is not decided on would be started again and again, and so would one
        that cannot read its state.
        """
        try:
            response: object = self.uncaught(failure)
        except BaseException as error:  # sys.exit, too: this thread takes the reports
            why = f"raised {type(error).__name__}: {text_of(error)}"
        else:
            if response is UncaughtResponse.REPLACE_THREAD and failure.is_final:
                why = "must not replace a worker that cannot read its state: no other worker can"
            elif isinstance(response, UncaughtResponse):
                return response
            else:
                why = f"must return an UncaughtResponse; it returned {shown(response)}"
            if inspect.iscoroutine(response):
                response.close()
        _log.error(
            "uncaught exception handler %s %s; the application ends", name_of(self.uncaught), why
        )
        return UncaughtResponse.SHUTDOWN_CLIENT

    def _call_listeners(self, report: Report) -> None:
        what = ""
        try:
            for event in report.restore_events:
                what = "standby update" if event.task else "state restore"
                if event.task and self.standby_listener is not None:
                    promoted = event.kind == "left" and self._runs_there(event.task, report)
                    tell_standby(self.standby_listener, event, promoted=promoted)
                elif not event.task and self.restore_listener is not None:
                    tell(self.restore_listener, event)
        except Exception as error:
            msg = f"the {what} listener failed: {type(error).__name__}: {error}"
            failure = StreamsError(msg)
            failure.__cause__ = error
            self._fail(WorkerFailure.of(failure))

    def _runs_there(self, task: str, report: Report) -> bool:
        """Whether the worker that reports runs the task, or another one with its directory."""
        assert self._query is not None
        there = (one for one in self._query.members().values() if one.home == report.home)
        return task in report.tasks or any(task in one.tasks for one in there)

    def _fail(self, failure: WorkerFailure) -> None:
        with self._states.lock:
            if self._states.state in {State.REBALANCING, State.RUNNING}:
                self.failure = failure
                try:
                    self._states.move(State.PENDING_ERROR)
                finally:  # whatever a listener does
                    self._close_soon()

    def _close_soon(self) -> None:
        threading.Thread(target=self._close, name="penstock-close", daemon=True).start()

    def _watch_query(self, query: Query, replanner: Replanner) -> None:
        """Notice a query that ended by itself: stopped by the user through Spark, or failed; topics
        that are gone; and other instances that ask all to end. Announce this one to them.
        """
        while not self._states.ended:
            self._pause.wait(_WATCH_SECONDS)
            failure = replanner.check()
            # The reason first: this instance says that it asks before it can hear itself.
            reason = query.shutdown_reason()
            if failure is None and reason is not None and not self._asks_all_to_end:
                failure = f"another instance asked all to end: {reason}"
            if failure is not None:
                self._fail(WorkerFailure("StreamsError", failure, failure))
                break
            query.announce()
            query.look_at_session()
        replanner.close()

    def _watch_group(self, query: Query) -> None:
        """Ask what the other instances do, where this one does not have all tasks."""
        while not self._states.ended:
            self._pause.wait(_GROUP_SECONDS)
            if self._instance.look_at_group(query.group, query.members()):
                self._close_soon()
                return
            if self._states.state is State.REBALANCING:
                query.look_for_orphans()
            query.look_at_lag()
