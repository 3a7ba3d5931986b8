"""Questions on their way from the driver to its workers.

Workers need no open port: each holds a connection to the driver on which it brings its answers and
waits for the next questions (`QuestionPoll`). Each worker has a queue with a lock of its own: a
question wakes only the worker that it is for.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from itertools import count

from penstock._clock import monotonic
from penstock._engine.queries.questions import Answer, Question, QuestionPoll
from penstock.errors import QueryError

_WAIT_SECONDS = 2.0
_AT_ONCE_MAX = 1000
# A message may have 16 MB.
_KEY_BYTES_MAX = 4 << 20
# Questions that overlap are sent together: one that has others beside it waits this long for more.
# It costs them little, and the worker half of its processor time.
_LINGER_SECONDS = 0.003
_LINGER_FOR_MAX = 32
# For how long questions are expected to overlap again. The questions of one asker never do.
_CROWDED_SECONDS = 0.1
# A worker that took questions answers them, or says why not, a moment after their time is over.
_GRACE_SECONDS = 1.0


class _PendingQuestion:
    """A question whose asker waits; a bare lock is what costs least to wait on."""

    __slots__ = ("_open", "answer", "question")

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answer: Answer | None = None
        self._open = threading.Lock()
        self._open.acquire()

    def wait(self, seconds: float) -> None:
        """Wait until it is ended, at most so long."""
        # A lock takes -1 for ever, and refuses other times below zero, or too long.
        self._open.acquire(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX))

    def end(self) -> None:
        """Wake the asker; called once."""
        self._open.release()


class QuestionQueues:
    """A queue of questions for each worker; questioners wait for the answers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queues: dict[tuple[str, int], _Queue] = {}
        self._numbers = count(1)
        self._closed = False

    def ask(self, worker: tuple[str, int], question: Question) -> Answer | None:
        """Return a worker's answer; None if the worker did not answer in time.

        Raises:
            QueryError: the keys are too long for a message.
        """
        if question.key_bytes > _KEY_BYTES_MAX:
            msg = (
                f"store {question.store!r}: the keys of a query may have {_KEY_BYTES_MAX:,} bytes "
                f"in all; got {question.key_bytes:,}; ask for fewer at once"
            )
            raise QueryError(msg)
        pending = _PendingQuestion(replace(question, number=next(self._numbers)))
        queue = self._queue(worker)
        if queue.put(pending):
            try:
                pending.wait(question.seconds + _GRACE_SECONDS)
            finally:
                queue.drop(pending)
        return pending.answer

    def poll(self, poll: QuestionPoll) -> list[Question]:
        """Take a worker's answers; wait for questions for it."""
        return self._queue((poll.member_id, poll.pid)).poll(poll.answers)

    def forget(self, worker: tuple[str, int]) -> None:
        """Answer all questions to a worker that is gone, with nothing."""
        with self._lock:
            queue = self._queues.pop(worker, None)
        if queue is not None:
            queue.close()

    def close(self) -> None:
        """Answer all polls without questions, and all questions with nothing."""
        with self._lock:
            self._closed = True
            queues = list(self._queues.values())
        for queue in queues:
            queue.close()

    def _queue(self, worker: tuple[str, int]) -> _Queue:
        with self._lock:
            queue = self._queues.get(worker)
            if queue is None:
                queue = self._queues[worker] = _Queue()
                if self._closed:
                    queue.close()
            return queue


class _Queue:
    """The questions to one worker: those that wait for its poll, and those that it has taken."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[_PendingQuestion] = deque()
        self._taken: dict[int, _PendingQuestion] = {}
        self._crowded_until = 0.0
        self._lingers = False
        self._closed = False

    def put(self, pending: _PendingQuestion) -> bool:
        """Add a question; no if the worker is gone."""
        with self._changed:
            if self._closed:
                return False
            if self._waiting or self._taken:
                self._crowded_until = monotonic() + _CROWDED_SECONDS
            self._waiting.append(pending)
            if not self._lingers or self._is_enough():
                self._changed.notify_all()
            return True

    def drop(self, pending: _PendingQuestion) -> None:
        """Remove a question whose asker waits no longer."""
        with self._changed:
            if self._taken.pop(pending.question.number, None) is None and pending in self._waiting:
                self._waiting.remove(pending)

    def poll(self, answers: tuple[Answer, ...]) -> list[Question]:
        """Hand the answers over, wait for questions and take them."""
        with self._changed:
            for answer in answers:
                pending = self._taken.pop(answer.number, None)
                if pending is not None:
                    pending.answer = answer
                    pending.end()
            self._changed.wait_for(lambda: self._waiting or self._closed, _WAIT_SECONDS)
            if self._waiting and monotonic() < self._crowded_until:
                self._lingers = True
                self._changed.wait_for(self._is_enough, _LINGER_SECONDS)
                self._lingers = False
            questions: list[Question] = []
            room = _KEY_BYTES_MAX
            while self._waiting and room > 0 and len(questions) < _AT_ONCE_MAX:
                pending = self._waiting.popleft()
                self._taken[pending.question.number] = pending
                questions.append(pending.question)
                room -= pending.question.key_bytes
        return questions

    def _is_enough(self) -> bool:
        return self._closed or len(self._waiting) >= _LINGER_FOR_MAX

    def close(self) -> None:
        """Wake all that wait, on both sides."""
        with self._changed:
            self._closed = True
            for pending in (*self._waiting, *self._taken.values()):
                pending.end()
            self._waiting.clear()
            self._taken.clear()
            self._changed.notify_all()
