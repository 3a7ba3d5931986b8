"""A worker's second connection to the driver: it polls for interactive queries and returns answers.

A thread of its own waits there, so that the worker needs no open port, and the engine thread only
answers (`queries/desk.py`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from penstock._engine.control.client import ControlClient, DriverSilent
from penstock._engine.control.messages import ControlAddress
from penstock._engine.control.wire import MessageTooLong
from penstock._engine.queries.desk import Desk
from penstock._engine.queries.questions import Answer, Question, QuestionPoll

_AGAIN_SECONDS = 0.5
_TOO_LONG = "the answer is longer than a message may be; ask for fewer rows or keys at once"


class QuestionPoller:
    """Takes questions for a worker to its desk, and the answers back.

    `busy` says what the worker is doing, for questions whose time is over.
    """

    def __init__(
        self, address: ControlAddress, member_id: str, desk: Desk, busy: Callable[[], str]
    ) -> None:
        self._client = ControlClient(address)
        self._member_id, self._desk, self._busy = member_id, desk, busy
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
            answers = self._desk.ask(questions, self._busy) if questions else ()

    def _exchange(self, answers: tuple[Answer, ...]) -> list[Question]:
        pickup = QuestionPoll(self._member_id, os.getpid(), answers)
        try:
            return self._ask(pickup)
        except MessageTooLong:
            short = tuple(Answer(answer.number, busy=_TOO_LONG) for answer in answers)
            return self._ask(QuestionPoll(self._member_id, os.getpid(), short))

    def _ask(self, pickup: QuestionPoll) -> list[Question]:
        questions: list[Question] = self._client.ask("questions", pickup, list[Question])
        return questions
