"""`KafkaStreams.close` while it is closed already, and what a user's own functions do to it."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from penstock import State, StreamsError, UncaughtResponse
from penstock._engine.kafka.application import preparation
from penstock.errors import TopologyError
from tests.unit.test_application import (
    PATIENCE_MS,
    FakeBlueprint,
    FakeQuery,
    application,
    failed,
    queries,
    running,
    wait_for,
)

__all__ = ["queries"]

PATIENCE_SECONDS = PATIENCE_MS / 1000


class SlowClose:
    """Stands for workers that take a while to commit: `close` waits until the test lets it end."""

    def __init__(self, fake: FakeQuery, *, finished: bool = True) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()
        self._finished = finished
        self.calls = 0
        fake.close = self._close  # type: ignore[method-assign]

    def _close(self, timeout_seconds: float) -> bool:
        self.calls += 1
        self.begun.set()
        # Not `wait`: a signal handler must not set an Event that its own thread is waiting for.
        wait_for(self.may_end.is_set)
        return self._finished


@contextmanager
def on_signal(function: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGUSR1, lambda number, frame: function())
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_close_in_a_signal_handler_within_close_returns(queries: list[FakeQuery]) -> None:
    streams, answers = application(), list[bool]()
    streams.start()
    slow = SlowClose(queries[0])

    def handle() -> None:
        answers.append(streams.close())
        slow.may_end.set()

    def send() -> None:
        assert slow.begun.wait(PATIENCE_SECONDS)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    with on_signal(handle):
        sender = threading.Thread(target=send)
        sender.start()
        assert streams.close()
        sender.join(PATIENCE_SECONDS)
    assert (answers, slow.calls, streams.state) == ([False], 1, State.NOT_RUNNING)


@pytest.mark.parametrize("finished", [True, False])
def test_a_second_close_waits_for_the_first_as_long_as_it_may(
    queries: list[FakeQuery], finished: bool
) -> None:
    streams, answers = application(), list[bool]()
    streams.start()
    slow = SlowClose(queries[0], finished=finished)
    calls = [threading.Thread(target=lambda: answers.append(streams.close())) for _ in range(2)]
    calls[0].start()
    assert slow.begun.wait(PATIENCE_SECONDS)
    assert not streams.close(20)
    assert streams.state == State.PENDING_SHUTDOWN
    calls[1].start()
    slow.may_end.set()
    for call in calls:
        call.join(PATIENCE_SECONDS)
    ended = (answers.count(finished), slow.calls, streams.state)
    assert ended == (2, 1, State.NOT_RUNNING)


def test_a_close_by_its_own_worker_returns_and_goes_on(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start()
    (fake,) = queries
    worker = threading.current_thread()
    fake.runs_this_thread = lambda: threading.current_thread() is worker  # type: ignore[method-assign]
    slow = SlowClose(fake)
    assert [streams.close() for _ in range(3)] == [False] * 3
    assert slow.begun.wait(PATIENCE_SECONDS)
    assert not streams.close()
    slow.may_end.set()
    assert streams.wait_until(State.NOT_RUNNING, PATIENCE_MS)
    assert (slow.calls, streams.close()) == (1, True)


def test_a_close_that_raised_can_be_tried_again(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start()
    (fake,) = queries
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fake, "close", lambda seconds: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            streams.close()
    assert streams.close()
    assert (fake.closed, streams.state) == (1, State.NOT_RUNNING)


def test_a_listener_may_close_what_is_being_closed(queries: list[FakeQuery]) -> None:
    streams, answers = application(), list[bool]()

    def close(new: State, old: State) -> None:
        if new is not State.REBALANCING:
            answers.append(streams.close(PATIENCE_MS))

    streams.set_state_listener(close)
    streams.start()
    queries[0].hear(running("a", "0_0", "0_1"))
    assert queries[0].closed == 1
    assert (answers, streams.state) == ([False, True, True], State.NOT_RUNNING)


def test_a_listener_that_raises_does_not_keep_it_from_closing(
    queries: list[FakeQuery], caplog: pytest.LogCaptureFixture
) -> None:
    def send_mail(new: State, old: State) -> None:
        raise OSError("mail server away")

    streams = application()
    streams.set_state_listener(send_mail)
    streams.start()
    queries[0].hear(running("a", "0_0", "0_1"))
    assert streams.close()
    assert (queries[0].closed, streams.state) == (1, State.NOT_RUNNING)
    said = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert [line.partition(" at ")[2] for line in said] == [
        f"{state}, which stands"
        for state in ("REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "NOT_RUNNING")
    ]
    assert all("send_mail" in line for line in said)


def test_a_listener_that_raises_does_not_keep_a_failure_from_ending_it(
    queries: list[FakeQuery],
) -> None:
    def send_mail(new: State, old: State) -> None:
        raise OSError("mail server away")

    streams = application()
    streams.set_state_listener(send_mail)
    streams.start()
    queries[0].hear(failed(StreamsError("no way")))
    assert streams.wait_until(State.ERROR, PATIENCE_MS)


async def asynchronous(failure: object) -> UncaughtResponse:
    return UncaughtResponse.REPLACE_THREAD


@pytest.mark.parametrize("handler", [asynchronous, "nonsense", None, lambda: None])
def test_what_cannot_be_asked_is_no_uncaught_handler(handler: Any) -> None:
    with pytest.raises(TopologyError, match="the uncaught exception handler must "):
        application().set_uncaught_exception_handler(handler)


def test_what_cannot_be_called_is_no_state_listener() -> None:
    streams: Any = application()
    for listener in (asynchronous, "nonsense"):
        with pytest.raises(TopologyError, match="the state listener must "):
            streams.set_state_listener(listener)
    streams.set_state_listener(None)


def test_of_two_threads_one_starts_it(
    queries: list[FakeQuery], monkeypatch: pytest.MonkeyPatch
) -> None:
    streams, inside, errors = application(), threading.Event(), list[str]()

    def prepare(*_: Any) -> FakeBlueprint:
        if not inside.is_set():
            inside.set()
            other = threading.Thread(target=start)
            other.start()
            other.join(PATIENCE_SECONDS)
        return FakeBlueprint()

    def start() -> None:
        try:
            streams.start()
        except StreamsError as error:
            errors.append(str(error))

    monkeypatch.setattr(preparation, "prepare", prepare)
    streams.start()
    assert inside.is_set()
    assert errors == ["an application can be started once; this is being started; make a new one"]
    assert len(queries) == 1
    assert streams.close()
