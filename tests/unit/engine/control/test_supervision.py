"""What the driver notices of a started application, and that it stops looking at its end."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any, cast

import pytest

from penstock._engine.control import supervision as supervision_module
from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.control.supervision import Supervision
from penstock._engine.metrics.restore_events import RestoreEvent
from penstock._engine.planner.blueprint import Blueprint
from penstock.application_states import State, StateMachine, UncaughtResponse
from penstock.errors import ProcessingError, StateUnreadableError
from penstock.stores import StandbyUpdateListener

PATIENCE_SECONDS = 10


class FakeQuery:
    """A query with one worker that runs task 0_0; the other task is another instance's."""

    reason: str | None = None
    over = False

    def __init__(self) -> None:
        self.tasks = {"0_0": "running"}

    @property
    def group(self) -> FakeQuery:
        return self

    @property
    def membership_version(self) -> int:
        return hash(str(self.tasks))

    def look_at_session(self) -> None: ...

    def look_at_lag(self) -> None:
        self.looked = True

    def look_for_orphans(self) -> None: ...

    def announce(self) -> None: ...

    def members(self) -> dict[str, Report]:
        return {"a": Report("a", "running", tasks=self.tasks, home="one")}

    def shutdown_reason(self) -> str | None:
        return self.reason

    def post_shutdown(self, reason: str) -> None:
        self.posted = reason

    def tasks_of_others(self, own_members: Collection[str]) -> set[str]:
        return {"0_1"}

    def bounded_run_is_over(self) -> bool:
        return self.over


class FakeReplanner:
    """Fails when the test says so."""

    trouble: str | None = None

    def __init__(self) -> None:
        self.closed = threading.Event()

    def check(self) -> str | None:
        return self.trouble

    def close(self) -> None:
        self.closed.set()


class Watched:
    """An application that is started and watched."""

    def __init__(self, *, bounded: bool = False) -> None:
        self.query, self.replanner = FakeQuery(), FakeReplanner()
        self.states, self.closed = StateMachine(), threading.Event()
        self.supervision = Supervision(self.states, self._close)
        tasks = [SimpleNamespace(id="0_0"), SimpleNamespace(id="0_1")]
        plan: Any = SimpleNamespace(tasks=tasks, ends={} if bounded else None)
        self.supervision.follow_plan(cast("Blueprint", plan))
        self.supervision.follow_query(self.query)
        self.states.move(State.REBALANCING)

    def watch(self) -> None:
        self.supervision.watch(self.query, self.replanner)

    def state(self) -> State:
        return self.states.state

    def failure(self) -> str:
        """Wait until the application is closed, and return why."""
        assert self.closed.wait(PATIENCE_SECONDS)
        assert self.replanner.closed.wait(PATIENCE_SECONDS)
        assert self.supervision.failure is not None
        return self.supervision.failure.message

    def _close(self) -> None:
        failed = self.states.state is State.PENDING_ERROR
        if not failed:
            self.states.move(State.PENDING_SHUTDOWN)
        self.states.move(State.ERROR if failed else State.NOT_RUNNING)
        self.closed.set()


def test_a_failure_ends_the_application_and_the_watch() -> None:
    watched = Watched()
    watched.replanner.trouble = "the query was stopped"
    watched.watch()
    assert watched.failure() == "the query was stopped"
    assert watched.state() is State.ERROR


def test_another_instance_may_ask_all_to_end() -> None:
    watched = Watched()
    watched.query.reason = "bad"
    watched.watch()
    assert watched.failure() == "another instance asked all to end: bad"


def test_the_instance_that_asks_all_to_end_tells_its_own_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It hears its own request, and that may come before its failure is noted."""
    watched = Watched()
    monkeypatch.setattr(supervision_module, "_WATCH_SECONDS", 0.001)
    watched.supervision.uncaught = lambda failure: UncaughtResponse.SHUTDOWN_APPLICATION

    def post(reason: str) -> None:
        watched.query.reason = reason
        watched.watch()
        time.sleep(0.05)  # the watch looks at it meanwhile

    monkeypatch.setattr(watched.query, "post_shutdown", post)
    failure = WorkerFailure("ValueError", "bad", "bad")
    watched.supervision.take_report(Report("a", "failed", failure=failure))
    assert watched.failure() == "bad"


def test_an_instance_that_hears_itself_at_once_does_not_take_it_for_another() -> None:
    watched = Watched()

    def heard() -> str:
        # It fails on another thread while this one looks.
        watched.supervision._asks_all_to_end = True
        watched.replanner.trouble = "its own failure"
        return "its own failure, as others hear it"

    watched.query.shutdown_reason = heard  # type: ignore[method-assign]
    watched.watch()
    assert watched.failure() == "its own failure"


def test_the_group_says_when_a_bounded_run_is_over() -> None:
    watched = Watched(bounded=True)
    watched.query.over = True
    watched.watch()
    assert watched.closed.wait(PATIENCE_SECONDS)
    assert watched.replanner.closed.wait(PATIENCE_SECONDS)
    assert watched.supervision.failure is None


def test_what_has_ended_is_not_watched() -> None:
    watched = Watched()
    watched._close()
    watched.watch()
    assert watched.replanner.closed.wait(PATIENCE_SECONDS)
    assert watched.supervision.failure is None


def test_the_state_follows_the_reports() -> None:
    watched = Watched()
    both = {"0_0": "running", "0_1": "running"}
    watched.query.tasks = both
    watched.supervision.take_report(Report("a", "running", tasks=both))
    assert watched.state() is State.RUNNING
    watched.query.tasks = {"0_0": "restoring"}
    watched.supervision.take_report(Report("a", "restoring", tasks=watched.query.tasks))
    assert watched.state() is State.REBALANCING


def test_the_plan_says_how_many_tasks_there_are() -> None:
    assert Watched().supervision.task_count == 2


def test_a_failure_before_the_query_is_known_is_dealt_with_when_it_is() -> None:
    """Workers begin while their query is made: what they say then is neither lost nor too early."""
    query, states, closed = FakeQuery(), StateMachine(), threading.Event()
    supervision = Supervision(states, closed.set)
    supervision.uncaught = lambda failure: UncaughtResponse.SHUTDOWN_APPLICATION
    states.move(State.REBALANCING)
    failure = WorkerFailure("ValueError", "a poison record", "")
    supervision.take_report(Report("a", "failed", failure=failure))
    assert not closed.is_set()
    supervision.follow_query(query)
    assert query.posted == "a poison record"
    assert closed.wait(PATIENCE_SECONDS)
    assert states.state is State.PENDING_ERROR
    assert supervision.failure == failure


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: None, "must return an UncaughtResponse; it returned None"),
        (lambda: "replace_thread", "must return an UncaughtResponse; it returned 'replace_thread'"),
        (lambda: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda: sys.exit(3), "raised SystemExit: 3"),
    ],
)
def test_a_handler_that_does_not_answer_ends_the_application(
    answer: Callable[[], Any], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    def decide(failure: WorkerFailure) -> UncaughtResponse:
        return cast("UncaughtResponse", answer())

    watched = Watched()
    watched.supervision.uncaught = decide
    failure = WorkerFailure("ValueError", "a poison record", "")
    watched.supervision.take_report(Report("a", "failed", failure=failure))
    assert watched.closed.wait(PATIENCE_SECONDS)
    assert (watched.state(), watched.supervision.failure) == (State.ERROR, failure)
    line = next(line for line in caplog.messages if line.startswith("uncaught exception handler"))
    assert line.endswith(f"decide {said}; the application ends")


def test_a_worker_that_cannot_read_its_state_is_not_replaced(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def replace(failure: WorkerFailure) -> UncaughtResponse:
        return UncaughtResponse.REPLACE_THREAD

    unreadable = StateUnreadableError("a value of state store 's' cannot be read")
    error = ProcessingError("failed in a timer", task_id="0_0", node="held")
    error.__cause__ = unreadable
    watched = Watched()
    watched.supervision.uncaught = replace
    watched.supervision.take_report(Report("a", "failed", failure=WorkerFailure.of(error)))
    assert watched.closed.wait(PATIENCE_SECONDS)
    assert watched.state() is State.ERROR
    line = next(line for line in caplog.messages if line.startswith("uncaught exception handler"))
    assert line.endswith(
        "replace must not replace a worker that cannot read its state: no other worker can; the "
        "application ends"
    )


def test_a_listener_that_exits_does_not_keep_a_failure_from_ending_the_application() -> None:
    watched = Watched()
    watched.states.listener = lambda new, old: sys.exit(3)
    failure = WorkerFailure("ValueError", "a poison record", "")
    with pytest.raises(SystemExit):
        watched.supervision.take_report(Report("a", "failed", failure=failure))
    watched.states.listener = None
    assert watched.closed.wait(PATIENCE_SECONDS)


class Left(StandbyUpdateListener):
    """Notes why copies were left."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def on_update_suspended(self, *told: Any) -> None:
        self.reasons.append(told[-1].value)


def left(task: str) -> tuple[RestoreEvent, ...]:
    return (RestoreEvent("left", "counts", "log", 0, offset=9, end=9, task=task),)


def test_a_copy_is_promoted_if_a_worker_of_its_machine_runs_the_task() -> None:
    watched, heard = Watched(), Left()
    take = watched.supervision.take_report
    take(Report("b", "running", home="one", restore_events=left("0_0")))
    assert watched.state() is State.REBALANCING  # it needs no listener
    watched.supervision.standby_listener = heard
    take(Report("b", "running", home="one", restore_events=left("0_0")))
    take(Report("c", "running", home="two", restore_events=left("0_0")))
    own = {"0_1": "restoring"}
    take(Report("c", "restoring", tasks=own, home="two", restore_events=left("0_1")))
    take(Report("b", "closed", home="one", restore_events=left("0_1")))
    assert heard.reasons == ["promoted", "migrated", "promoted", "migrated"]


def test_a_standby_listener_that_fails_ends_the_application() -> None:
    watched = Watched()
    watched.supervision.standby_listener = cast("Any", SimpleNamespace())
    watched.supervision.take_report(Report("b", "running", restore_events=left("0_0")))
    assert watched.closed.wait(PATIENCE_SECONDS)
    assert watched.supervision.failure is not None
    assert watched.supervision.failure.message.startswith("the standby update listener failed: ")
