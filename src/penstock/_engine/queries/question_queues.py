"""Questions on their way from the driver to its workers.

Workers need no open port: each holds a connection to the driver on which it brings its answers and
waits for the next questions (`QuestionPoll`). Each worker has a queue with a lock of its own: a
question wakes only the worker that it is for.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import TypeAlias

from penstock._clock import monotonic
from penstock._engine.queries.questions import Answer, Question, QuestionPoll
from penstock.errors import QueryError

_WAIT_SECONDS = 2.0
_AT_ONCE_MAX = 1000
# A message may have 16 MB.
_KEY_BYTES_MAX = 4 << 20
_TIME_MAX = 1 << 63
# Questions that overlap are sent together: one that has others beside it waits for more, at least
# so long, and as long as the worker took for those before. So an exchange with a busy worker has
# twice the questions, and what it costs the worker, two changes of threads, is paid half as often.
# No more are waited for than there are askers, as most of them wait for their answer.
_LINGER_SECONDS = 0.003
_LINGER_SECONDS_MAX = 0.04
_LINGER_FOR_MAX = 32
# For how long questions are expected to overlap again. The questions of one asker never do.
_CROWDED_SECONDS = 0.1
# A worker that took questions answers them, or says why not, a moment after their time is over.
_GRACE_SECONDS = 1.0


Ended: TypeAlias = Callable[[Answer | None], None]


class _PendingQuestion:
    """A question on its way; `ended` is called once, with its answer, None if none will come."""

    __slots__ = ("_ended", "key_bytes", "question")

    def __init__(self, question: Question, key_bytes: int, ended: Ended) -> None:
        self.question, self.key_bytes, self._ended = question, key_bytes, ended

    def end(self, answer: Answer | None) -> None:
        # The asker may hold this question: without the asker in turn they are no cycle, and the
        # garbage collector need not look for each of them.
        ended, self._ended = self._ended, _ignored
        ended(answer)


def _ignored(_answer: Answer | None) -> None:
    pass


def _wait(released: threading.Lock, seconds: float) -> None:
    """Wait until a lock is released, at most so long."""
    # A lock takes -1 for ever, and refuses other times below zero, or too long.
    released.acquire(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX))


def linger_seconds(busy_seconds: float) -> float:
    """Return how long questions wait for others, after a worker took so long for those before."""
    return max(_LINGER_SECONDS, min(busy_seconds, _LINGER_SECONDS_MAX))


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
            QueryError: the keys are too long for a message, or a time is.
        """
        answered = threading.Lock()  # a bare lock is what costs least to wait on
        answered.acquire()
        answers: list[Answer | None] = []

        def ended(answer: Answer | None) -> None:
            answers.append(answer)
            answered.release()

        pending = self._pending(question, ended)
        queue = self._queue(worker)
        if queue.put(pending):
            try:
                _wait(answered, question.seconds + _GRACE_SECONDS)
            finally:
                queue.drop(pending)
        return answers[0] if answers else None

    def begin(
        self, worker: tuple[str, int], question: Question, ended: Ended
    ) -> Callable[[], None] | None:
        """Ask without waiting; return what drops the question, None if the worker is gone.

        `ended` is called once, unless the question is dropped before: with the answer, or None if
        the worker is gone. It is called on another thread, inside a lock, and must not wait.

        Raises:
            QueryError: the keys are too long for a message, or a time is.
        """
        pending = self._pending(question, ended)
        queue = self._queue(worker)
        return (lambda: queue.drop(pending)) if queue.put(pending) else None

    def _pending(self, question: Question, ended: Ended) -> _PendingQuestion:
        size = question.key_bytes
        if size > _KEY_BYTES_MAX:
            msg = (
                f"store {question.store!r}: the keys of a query may have {_KEY_BYTES_MAX:,} bytes "
                f"in all; got {size:,}; ask for fewer at once"
            )
            raise QueryError(msg)
        times = question.read.time_from, question.read.time_to
        if not (-_TIME_MAX <= times[0] < _TIME_MAX and -_TIME_MAX <= times[1] < _TIME_MAX):
            # No message could be made of it, nor of the questions beside it.
            msg = f"store {question.store!r}: times must fit into 64 bits; got {times}"
            raise QueryError(msg)
        return _PendingQuestion(question.numbered(next(self._numbers)), size, ended)

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
        self._enough = 0
        """When so many questions wait, no others are waited for."""
        self._taken_at = monotonic()
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
            askers = len(self._waiting)
            for answer in answers:
                pending = self._taken.pop(answer.number, None)
                if pending is not None:
                    askers += 1
                    pending.end(answer)
            now = monotonic()
            if now < self._crowded_until:
                # Others are on their way: one wait for all of them, not one for the first and
                # another for the rest.
                busy = now - self._taken_at if answers else 0.0
                # A worker without answers does not know how many askers there are.
                self._enough = min(askers, _LINGER_FOR_MAX) if answers else _LINGER_FOR_MAX
                self._lingers = True
                self._changed.wait_for(self._is_enough, linger_seconds(busy))
                self._lingers = False
            if not self._waiting:
                self._changed.wait_for(lambda: self._waiting or self._closed, _WAIT_SECONDS)
            questions: list[Question] = []
            room = _KEY_BYTES_MAX
            while self._waiting and room > 0 and len(questions) < _AT_ONCE_MAX:
                pending = self._waiting.popleft()
                self._taken[pending.question.number] = pending
                questions.append(pending.question)
                room -= pending.key_bytes
            self._taken_at = monotonic()
        return questions

    def _is_enough(self) -> bool:
        return self._closed or len(self._waiting) >= self._enough

    def close(self) -> None:
        """Wake all that wait, on both sides."""
        with self._changed:
            self._closed = True
            for pending in (*self._waiting, *self._taken.values()):
                pending.end(None)
            self._waiting.clear()
            self._taken.clear()
            self._changed.notify_all()
