"""A worker's second connection to the driver: it polls for interactive queries and returns answers.

A thread of its own waits there, so that the worker needs no open port, and the engine thread only
answers (`queries/query_server.py`).
"""

from __future__ import annotations

import os
import threading

from penstock._engine.control.protocol.client import ControlClient, DriverSilent
from penstock._engine.control.protocol.messages import ControlAddress
from penstock._engine.control.protocol.wire import MessageTooLong
from penstock._engine.queries.query_server import Engine, QueryServer
from penstock._engine.queries.questions import Answer, Question, QuestionPoll

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
        while not self._closed.is_set():
            try:
                questions = self._exchange(answers)
            except (DriverSilent, RuntimeError):
                answers = ()
                self._closed.wait(_AGAIN_SECONDS)
                continue
            answers = self._server.ask(questions, self._engine) if questions else ()

    def _exchange(self, answers: tuple[Answer, ...]) -> list[Question]:
        poll = QuestionPoll(self._member_id, os.getpid(), answers)
        try:
            return self._poll(poll)
        except MessageTooLong:
            short = tuple(Answer(answer.number, busy=_TOO_LONG) for answer in answers)
            return self._poll(QuestionPoll(self._member_id, os.getpid(), short))

    def _poll(self, poll: QuestionPoll) -> list[Question]:
        questions: list[Question] = self._client.ask("questions", poll, list[Question])
        return questions
