"""Reports are sent beside the work: a slow driver or a long step stops neither."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from penstock._engine.control import reporter as reporter_module
from penstock._engine.control.protocol.client import DriverSilent
from penstock._engine.control.protocol.messages import Instruction, PrintedLine, Report
from penstock._engine.control.reporter import Reporter

PATIENCE_SECONDS = 30.0


class FakeLine:
    """Stands for the connection: each question waits until the test answers it."""

    def __init__(self) -> None:
        self.asked: queue.Queue[Report] = queue.Queue()
        self.answers: queue.Queue[Instruction | Exception] = queue.Queue()

    def ask(self, verb: str, payload: Any, answer: Any) -> Any:
        assert (verb, answer) == ("report", Instruction)
        self.asked.put(payload)
        told = self.answers.get(timeout=PATIENCE_SECONDS)
        if isinstance(told, Exception):
            raise told
        return told

    def next(self) -> Report:
        return self.asked.get(timeout=PATIENCE_SECONDS)


class Desk:
    """A reporter and what it is told."""

    def __init__(self) -> None:
        self.line = FakeLine()
        self.heard: list[Instruction] = []
        self.away: float | None = None
        self.printed: tuple[PrintedLine, ...] = ()
        self.reporter = Reporter(
            self.line, self.heard.append, lambda: self.away, lambda: self.printed
        )

    def close(self) -> None:
        closing = threading.Thread(target=self.reporter.close, args=(PATIENCE_SECONDS,))
        closing.start()
        wait_for(lambda: self.reporter._closed)
        self.line.answers.put(Instruction())
        closing.join()


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(reporter_module, "_REPEAT_SECONDS", 0.01)
    monkeypatch.setattr(reporter_module, "_AGAIN_SECONDS", 0.01)
    return Desk()


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until
        time.sleep(0.001)


def report(number: int, **more: Any) -> Report:
    return Report("a", "running", number=number, **more)


def test_posting_does_not_wait_for_the_driver(desk: Desk) -> None:
    desk.reporter.post(report(1))
    assert desk.line.next() == report(1)
    assert not desk.reporter.ready
    desk.line.answers.put(Instruction(paused=True))
    wait_for(lambda: desk.reporter.ready)
    assert desk.heard == [Instruction(paused=True)]
    desk.close()


def test_a_worker_whose_step_takes_long_is_heard_again_and_again(desk: Desk) -> None:
    desk.reporter.post(report(1, printed=(("stdout", "once"),), lag=3))
    assert desk.line.next().printed
    for _ in range(3):
        desk.line.answers.put(Instruction())
        again = desk.line.next()
        assert (again.repeated, again.number, again.lag, again.printed) == (True, 1, None, ())
    desk.close()


def test_a_report_that_the_silent_driver_did_not_answer_is_sent_again_unchanged(
    desk: Desk,
) -> None:
    sent = report(1, printed=(("stdout", "once"),))
    desk.reporter.post(sent)
    for _ in range(3):
        assert desk.line.next() == sent
        desk.line.answers.put(DriverSilent("gone"))
        assert not desk.reporter.ready
    assert desk.line.next() == sent
    desk.line.answers.put(Instruction())
    wait_for(lambda: desk.reporter.ready)
    assert desk.heard == [Instruction()]
    desk.close()


def test_a_driver_that_cannot_take_a_report_ends_the_work(desk: Desk) -> None:
    desk.reporter.post(report(1))
    desk.line.next()
    desk.line.answers.put(RuntimeError("the listener failed"))
    wait_for(lambda: desk.reporter.ready)
    with pytest.raises(RuntimeError, match="the listener failed"):
        desk.reporter.post(report(2))
    assert desk.reporter.close(PATIENCE_SECONDS)


def test_while_the_broker_is_away_the_lag_is_not_known(desk: Desk) -> None:
    desk.away = 12.0
    desk.reporter.post(report(1, lag=0))
    told = desk.line.next()
    assert (told.broker_away_seconds, told.lag) == (12.0, None)
    desk.away = None
    desk.line.answers.put(Instruction())
    told = desk.line.next()
    assert (told.broker_away_seconds, told.lag) == (None, None)
    desk.line.answers.put(Instruction())
    desk.reporter.post(report(2, lag=0))
    told = next(told for told in iter(desk.line.next, None) if told.number == 2)
    assert (told.broker_away_seconds, told.lag) == (None, 0)
    desk.close()


def test_nothing_is_told_before_the_first_report(desk: Desk) -> None:
    assert desk.reporter.close(PATIENCE_SECONDS)
    assert desk.line.asked.empty()


def test_what_a_thread_tells_while_the_engine_is_in_a_function_is_heard(desk: Desk) -> None:
    desk.reporter.post(report(1))
    desk.line.next()
    desk.printed = (("stderr", "function 'f' has not returned for 150 s"),)
    desk.line.answers.put(Instruction())
    again = desk.line.next()
    assert again.repeated
    assert again.printed == desk.printed
    desk.close()
