"""A worker's second connection to the driver: it polls for interactive queries and returns answers.

A thread of its own waits there, so that the worker needs no open port, and the engine thread only
answers (`queries/query_server.py`). No question ends that thread: one that cannot be read or
answered fails, and those beside it are answered.
"""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

import msgspec
from msgspec import structs

from penstock._clock import monotonic
from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.client import ControlClient, DriverSilent
from penstock._engine.control.protocol.messages import ControlAddress
from penstock._engine.control.protocol.wire import MessageTooLong, WireError
from penstock._engine.queries.query_server import Engine, QueryServer
from penstock._engine.queries.questions import Answer, Part, Question, QuestionPoll

_log = logging.getLogger(__name__)

_AGAIN_SECONDS = 0.5
_TOO_LONG = "the answer is longer than a message may be; ask for fewer rows or keys at once"


class QuestionPoller:
    """Takes questions from the driver to the worker's query server, and the answers back."""

    def __init__(
        self, address: ControlAddress, member_id: str, server: QueryServer, engine: Engine
    ) -> None:
        self._client = ControlClient(address)
        self._member_id, self._server, self._engine = member_id, server, engine
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="penstock-questions", daemon=True).start()

    def close(self) -> None:
        """Take no more questions."""
        self._closed.set()
        self._client.close()

    def _run(self) -> None:
        answers: tuple[Answer, ...] = ()
        seconds = 0.0
        while not self._closed.is_set():
            try:
                questions, answers = self._exchange(answers, seconds)
            except Exception as error:
                if not isinstance(error, DriverSilent | RuntimeError):
                    _log.warning("questions cannot be fetched, trying on", exc_info=True)
                answers, seconds = (), 0.0
                self._closed.wait(_AGAIN_SECONDS)
                continue
            begin = monotonic()
            answers += self._answered(questions) if questions else ()
            seconds = monotonic() - begin

    def _answered(self, questions: list[Question]) -> tuple[Answer, ...]:
        try:
            return self._server.ask(questions, self._engine)
        except Exception as error:
            _log.warning("questions cannot be answered", exc_info=True)
            why = f"{type(error).__name__}: {error}"
            return tuple(_failed(one.number, one.partitions, why) for one in questions)

    def _exchange(
        self, answers: tuple[Answer, ...], seconds: float
    ) -> tuple[list[Question], tuple[Answer, ...]]:
        """Return the next questions, and the answers to those that cannot be read."""
        poll = QuestionPoll(self._member_id, os.getpid(), answers, seconds)
        try:
            return self._poll(poll)
        except MessageTooLong:
            short = tuple(Answer(answer.number, busy=_TOO_LONG) for answer in answers)
            return self._poll(structs.replace(poll, answers=short))

    def _poll(self, poll: QuestionPoll) -> tuple[list[Question], tuple[Answer, ...]]:
        data = self._client.ask("questions", poll, msgspec.Raw)
        try:
            return wire.decode(data, list[Question]), ()
        except WireError:
            return _read_one_by_one(data)


def _read_one_by_one(data: bytes) -> tuple[list[Question], tuple[Answer, ...]]:
    """Return the questions that can be read, and answers to the others."""
    questions: list[Question] = []
    answers: list[Answer] = []
    for raw in wire.decode(data, list[Any]):
        try:
            questions.append(wire.decode(wire.encode(raw), Question))
        except WireError as error:
            _log.warning("a question cannot be read: %s", error)
            answers.append(_failed(raw["number"], raw["partitions"], str(error)))
    return questions, tuple(answers)


def _failed(number: int, partitions: Any, why: str) -> Answer:
    message = f"the worker cannot answer this: {why}"
    return Answer(
        number, tuple(Part(each, failure="failed", message=message) for each in partitions)
    )
