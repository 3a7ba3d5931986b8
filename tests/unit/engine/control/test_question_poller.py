"""A worker's line for questions, over a real control server."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from penstock._engine.control.protocol.server import ControlServer, Verb
from penstock._engine.control.question_poller import QuestionPoller
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.queries.question_queues import QuestionQueues
from penstock._engine.queries.questions import Question, QuestionPoll, Read
from penstock.errors import QueryError
from tests.unit.engine.queries.test_query_server import BUSY, FakeTask

PATIENCE_SECONDS = 30.0


class Line:
    """A driver and a worker, each with its threads."""

    def __init__(self, queues: QuestionQueues | None = None) -> None:
        self.queues, self.server = queues or QuestionQueues(), QueryServer()
        verbs = {"questions": Verb(QuestionPoll, self.queues.poll)}
        self._control = ControlServer("127.0.0.1", verbs)
        self._task = FakeTask(records=25)
        self._stop = threading.Event()
        self._poller = QuestionPoller(self._control.address, "member", self.server, BUSY)
        self._engine = threading.Thread(target=self._serve)
        self._engine.start()

    def ask(self, question: Question) -> object:
        return self.queues.ask(("member", os.getpid()), question)

    def close(self) -> None:
        self._stop.set()
        self._engine.join()
        self._poller.close()
        self.queues.close()
        self._control.close()

    def _serve(self) -> None:
        while not self._stop.wait(0.005):
            if self.server.has_questions:
                self.server.serve([self._task])


@pytest.fixture
def line() -> Iterator[Line]:
    made = Line()
    yield made
    made.close()


QUESTION = Question(0, "plain", Read("range"), (0,), seconds=PATIENCE_SECONDS)


def test_a_question_goes_to_the_worker_and_its_answer_comes_back(line: Line) -> None:
    answer = line.ask(QUESTION)
    assert answer is not None
    (part,) = answer.parts  # type: ignore[attr-defined]
    assert len([row for row in part.rows if len(row[0]) == 4]) == 25


def test_an_answer_that_is_too_long_is_told(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    from penstock._engine.control.protocol import wire  # noqa: PLC0415

    monkeypatch.setattr(wire, "BODY_BYTES_MAX", 400)
    answer = line.ask(QUESTION)
    assert answer is not None
    assert "longer than a message may be" in answer.busy  # type: ignore[attr-defined]


def test_many_questions_at_once_are_all_answered(line: Line) -> None:
    answers: list[object] = []
    threads = [
        threading.Thread(target=lambda: answers.append(line.ask(QUESTION))) for _ in range(50)
    ]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PATIENCE_SECONDS
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    assert len([answer for answer in answers if answer is not None]) == 50


def test_a_question_that_cannot_be_read_fails_and_those_beside_it_are_answered() -> None:
    queues = QuestionQueues()
    worker, answers = ("member", os.getpid()), queue.Queue[Any]()
    wrong = Question(0, "plain", Read("windows", (b"a",), time_to=1.5), (0,))  # type: ignore[arg-type]
    for question in (QUESTION, wrong, QUESTION):
        assert queues.begin(worker, question, answers.put)
    line = Line(queues)
    try:
        parts = [answers.get(timeout=PATIENCE_SECONDS).parts[0] for _ in range(3)]
        assert sorted(str(part.failure) for part in parts) == ["None", "None", "failed"]
        (failed,) = [part for part in parts if part.failure]
        assert "time_to" in failed.message
        assert line.ask(QUESTION) is not None
    finally:
        line.close()


def test_a_time_that_no_message_can_have_is_refused_and_others_are_answered(line: Line) -> None:
    with pytest.raises(QueryError, match="64 bits"):
        line.ask(Question(0, "plain", Read("windows", (b"a",), time_to=1 << 70), (0,)))
    assert line.ask(QUESTION) is not None


def test_a_server_that_raises_fails_the_question_and_not_the_line(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(BUSY, "wake", lambda: 1 / 0, raising=True)
        answer: Any = line.ask(QUESTION)
    assert "ZeroDivisionError" in answer.parts[0].message
    answer = line.ask(QUESTION)
    assert answer.parts[0].rows


def test_the_worker_says_how_long_its_answers_took(monkeypatch: pytest.MonkeyPatch) -> None:
    queues, polls = QuestionQueues(), queue.Queue[QuestionPoll]()
    take = queues.poll
    monkeypatch.setattr(queues, "poll", lambda poll: polls.put(poll) or take(poll))  # type: ignore[func-returns-value]
    line = Line(queues)
    try:
        serve = line.server.serve
        monkeypatch.setattr(line.server, "serve", lambda tasks: time.sleep(0.05) or serve(tasks))  # type: ignore[func-returns-value]
        assert line.ask(QUESTION) is not None
        first, second = (polls.get(timeout=PATIENCE_SECONDS) for _ in range(2))
        assert (first.answers, first.answer_seconds) == ((), 0.0)
        assert second.answers
        assert 0.05 <= second.answer_seconds < PATIENCE_SECONDS
    finally:
        line.close()


def test_a_poll_that_failed_is_followed_by_one_without_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queues, polls = QuestionQueues(), queue.Queue[QuestionPoll]()

    def poll(poll: QuestionPoll) -> list[Question]:
        polls.put(poll)
        if poll.answers:
            raise RuntimeError
        return QuestionQueues.poll(queues, poll)

    monkeypatch.setattr(queues, "poll", poll)
    monkeypatch.setattr("penstock._engine.control.question_poller._AGAIN_SECONDS", 0.01)
    line = Line(queues)
    try:
        line.ask(replace(QUESTION, seconds=0.1))
        _, failed, next_poll = (polls.get(timeout=PATIENCE_SECONDS) for _ in range(3))
        assert failed.answers
        assert failed.answer_seconds > 0
        assert (next_poll.answers, next_poll.answer_seconds) == ((), 0.0)
    finally:
        line.close()
