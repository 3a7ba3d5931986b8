"""An application in the foreground: how it is brought up, attended to and ended."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from penstock._engine.control.protocol.messages import Report
from penstock.errors import StreamsError
from penstock.terminal import foreground
from penstock.terminal.display import QuietDisplay
from penstock.terminal.figures import Figures
from penstock.terminal.foreground import Foreground, StopSignals

PATIENCE_SECONDS = 10.0


class FakeApplication:
    """An application that says what it is told to say."""

    application_id = "fraud"
    phase = "RUNNING"
    note = ""
    task_count = 1
    ended = False
    failed = False
    reason: str | None = None

    def __init__(self) -> None:
        self.closed = 0
        self.while_closing: Callable[[], object] = lambda: None

    def lag(self) -> int | None:
        return None

    def reports(self) -> Mapping[str, Report]:
        return {"a": Report("a", "running", tasks={"0_0": "running"}, records_in=5, records_out=3)}

    def close(self) -> bool:
        self.closed += 1
        self.while_closing()
        self.ended = True
        return True


class Recorder(QuietDisplay):
    """Remembers what was said; `on_update` is called at each update."""

    def __init__(self, on_update: Callable[[Figures], object] = lambda figures: None) -> None:
        self.said: list[str] = []
        self.on_update = on_update

    def say(self, text: str) -> None:
        self.said.append(text.partition(" after ")[0])

    def update(self, figures: Figures) -> None:
        self.on_update(figures)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreground, "_ATTEND_SECONDS", 0.001)
    monkeypatch.setattr(foreground, "_ONE_PRESS_SECONDS", 0.0)


def ask_to_stop(*_: Any, number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def ask_to_stop_once(number: int = signal.SIGINT) -> Callable[[Figures], None]:
    asked: list[bool] = []

    def once(figures: Figures) -> None:
        if not asked:
            asked.append(True)
            ask_to_stop(number=number)

    return once


def nothing(stack: ExitStack) -> None:
    """Bring up nothing."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda it: it.name)
def test_signal_closes_the_application(number: int) -> None:
    application = FakeApplication()
    display = Recorder(ask_to_stop_once(number))
    Foreground(application, display).run(nothing)
    assert application.closed == 1
    assert display.said == [
        "stopping: the workers commit and leave; Ctrl-C again ends at once",
        "fraud: stopped",
    ]


def test_second_signal_interrupts_while_it_closes() -> None:
    application, closing = FakeApplication(), threading.Event()
    application.while_closing = lambda: closing.wait(PATIENCE_SECONDS)
    ended: list[str] = []

    def bring_up(stack: ExitStack) -> None:
        stack.callback(ended.append, "broker")

    with pytest.raises(KeyboardInterrupt):
        Foreground(application, Recorder(ask_to_stop)).run(bring_up)
    closing.set()
    assert ended == []  # the user does not want to wait for it


def test_signals_are_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    Foreground(FakeApplication(), Recorder(ask_to_stop_once())).run(nothing)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_application_that_ends_by_itself_is_done() -> None:
    application = FakeApplication()

    def end(figures: Figures) -> None:
        application.ended = True

    display = Recorder(end)
    Foreground(application, display).run(nothing)
    assert display.said == ["fraud: done"]


def test_application_that_failed_is_said_to_have() -> None:
    application = FakeApplication()
    application.ended = application.failed = True
    display = Recorder()
    Foreground(application, display).run(nothing)
    assert display.said == ["fraud: failed"]


def test_why_it_fails_is_said_once_before_it_has_ended() -> None:
    application = FakeApplication()
    states = iter(["RUNNING", "PENDING_ERROR", "PENDING_ERROR", "ERROR"])

    def go_on(figures: Figures) -> None:
        application.phase = next(states)
        application.failed = application.phase != "RUNNING"
        application.reason = "node 'x' failed" if application.failed else None
        application.ended = application.phase == "ERROR"

    display = Recorder(go_on)
    Foreground(application, display).run(nothing)
    assert display.said == ["failing: node 'x' failed; the workers leave", "fraud: failed"]


def test_what_was_brought_up_is_ended_last() -> None:
    application, order = FakeApplication(), list[str]()
    application.while_closing = lambda: order.append("application")

    def bring_up(stack: ExitStack) -> None:
        stack.callback(order.append, "broker")

    Foreground(application, Recorder(ask_to_stop_once())).run(bring_up)
    assert order == ["application", "broker"]


def test_error_while_it_is_brought_up_is_raised() -> None:
    ended: list[str] = []

    def bring_up(stack: ExitStack) -> None:
        stack.callback(ended.append, "broker")
        raise StreamsError("no Java")

    with pytest.raises(StreamsError, match="no Java"):
        Foreground(FakeApplication(), Recorder()).run(bring_up)
    assert ended == ["broker"]


def test_signal_while_it_is_brought_up_ends_it_at_once() -> None:
    application, display = FakeApplication(), Recorder(ask_to_stop_once())
    go_on, ended = threading.Event(), threading.Event()

    def bring_up(stack: ExitStack) -> None:
        stack.callback(ended.set)
        go_on.wait(PATIENCE_SECONDS)

    Foreground(application, display).run(bring_up)
    assert display.said == ["fraud: stopped before it had started,"]
    assert application.closed == 1
    assert not ended.is_set()
    go_on.set()
    assert ended.wait(PATIENCE_SECONDS)  # what came up too late is ended all the same


def test_one_press_that_comes_twice_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreground, "_ONE_PRESS_SECONDS", PATIENCE_SECONDS)
    with StopSignals().received() as signals:
        ask_to_stop()
        ask_to_stop()
        assert signals.asked
