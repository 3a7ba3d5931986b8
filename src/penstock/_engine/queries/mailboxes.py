"""Questions on their way from the driver to its workers.

Workers need no open port: each holds a connection to the driver on which it brings its answers and
waits for the next questions (`Pickup`).
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field, replace
from itertools import count

from penstock._clock import monotonic
from penstock._engine.queries.questions import Answer, Pickup, Question

_WAIT_SECONDS = 2.0
_AT_ONCE_MAX = 1000
# A worker that took questions answers them, or says why not, a moment after their time is over.
_GRACE_SECONDS = 1.0


@dataclass(slots=True)
class _PendingQuestion:
    worker: tuple[str, int]
    question: Question
    answered: threading.Event = field(default_factory=threading.Event)
    answer: Answer | None = None


class Mailboxes:
    """One box of questions for each worker; questioners wait for the answers."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._boxes: dict[tuple[str, int], deque[_PendingQuestion]] = {}
        self._taken: dict[int, _PendingQuestion] = {}
        self._numbers = count(1)
        self._closed = False

    def ask(self, worker: tuple[str, int], question: Question) -> Answer | None:
        """Return a worker's answer; None if the worker did not answer in time."""
        letter = _PendingQuestion(worker, replace(question, number=next(self._numbers)))
        with self._lock:
            box = self._boxes.setdefault(worker, deque())
            box.append(letter)
            self._lock.notify_all()
        letter.answered.wait(question.seconds + _GRACE_SECONDS)
        with self._lock:
            self._taken.pop(letter.question.number, None)
            if letter in box:
                box.remove(letter)
        return letter.answer

    def pick_up(self, pickup: Pickup) -> list[Question]:
        """Take a worker's answers; wait for questions for it."""
        worker = pickup.member_id, pickup.pid
        until = monotonic() + _WAIT_SECONDS
        with self._lock:
            for answer in pickup.answers:
                letter = self._taken.pop(answer.number, None)
                if letter is not None:
                    letter.answer = answer
                    letter.answered.set()
            box = self._boxes.setdefault(worker, deque())
            self._lock.wait_for(lambda: box or self._closed, max(0.0, until - monotonic()))
            letters = [box.popleft() for _ in range(min(len(box), _AT_ONCE_MAX))]
            self._taken |= {letter.question.number: letter for letter in letters}
        return [letter.question for letter in letters]

    def forget(self, worker: tuple[str, int]) -> None:
        """Answer all questions to a worker that is gone, with nothing."""
        with self._lock:
            taken = [letter for letter in self._taken.values() if letter.worker == worker]
            for letter in (*self._boxes.pop(worker, ()), *taken):
                letter.answered.set()

    def close(self) -> None:
        """Send all waiting workers home without questions."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
