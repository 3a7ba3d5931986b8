"""Questions on their way from the driver to its workers.

Workers need no open port: each holds a connection to the driver on which it brings its answers and
waits for the next questions (`QuestionPoll`). Each worker has a queue with a lock of its own: a
question wakes only the worker that it is for. Questions that overlap are sent together
(`gathering.py`), and keys that are asked for one by one as one question (`key_batch.py`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Protocol

from penstock._clock import monotonic
from penstock._engine.queries.gathering import Gathering, Wait
from penstock._engine.queries.key_batch import KeyBatch, KeyEnded, KeyPlace
from penstock._engine.queries.questions import Answer, Ended, Question, QuestionPoll
from penstock.errors import QueryError

_WAIT_SECONDS = 2.0
_AT_ONCE_MAX = 1000
# A message may have 16 MB.
_KEY_BYTES_MAX = 4 << 20
_TIME_MAX = 1 << 63
# A worker that took questions answers them, or says why not, a moment after their time is over.
_GRACE_SECONDS = 1.0


class _Pending(Protocol):
    """A question, or a batch of keys, that waits for a worker or for its answer."""

    number: int

    @property
    def asker_count(self) -> int:
        """How many wait for the answer."""

    @property
    def key_bytes(self) -> int: ...
    def question(self, number: int) -> Question:
        """Return the question to send, under a number."""

    def end(self, answer: Answer | None) -> None:
        """Hand the answer to the askers, None if none will come."""


class _PendingQuestion:
    """A question on its way; `ended` is called once, with its answer, None if none will come."""

    __slots__ = ("_ended", "_question", "key_bytes", "number")

    asker_count = 1

    def __init__(self, question: Question, key_bytes: int, ended: Ended) -> None:
        self._question, self.key_bytes, self._ended = question, key_bytes, ended
        self.number = 0

    def question(self, number: int) -> Question:
        self.number = number
        return self._question.numbered(number)

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

    def begin_get(
        self,
        worker: tuple[str, int],
        common: Question,
        place: KeyPlace,
        ended: KeyEnded,
    ) -> Callable[[], None] | None:
        """Ask for one key without waiting; return what `begin` does. Keys of the same `common`, the
        object that `question_of_keys` returned, are sent together.

        Raises:
            QueryError: the key is too long for a message.
        """
        if len(place.key) > _KEY_BYTES_MAX:
            raise _too_long(common.store, len(place.key))
        queue = self._queue(worker)
        batch = queue.put_key(common, place, ended)
        return None if batch is None else partial(queue.drop_key, batch, place, ended)

    def _pending(self, question: Question, ended: Ended) -> _PendingQuestion:
        size = question.key_bytes
        if size > _KEY_BYTES_MAX:
            raise _too_long(question.store, size)
        times = question.read.time_from, question.read.time_to
        if not (-_TIME_MAX <= times[0] < _TIME_MAX and -_TIME_MAX <= times[1] < _TIME_MAX):
            # No message could be made of it, nor of the questions beside it.
            msg = f"store {question.store!r}: times must fit into 64 bits; got {times}"
            raise QueryError(msg)
        return _PendingQuestion(question, size, ended)

    def poll(self, poll: QuestionPoll) -> list[Question]:
        """Take a worker's answers; wait for questions for it."""
        return self._queue((poll.member_id, poll.pid)).poll(poll.answers, poll.answer_seconds)

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
        queue = self._queues.get(worker)
        if queue is not None:
            return queue
        with self._lock:
            queue = self._queues.get(worker)
            if queue is None:
                queue = self._queues[worker] = _Queue(self._numbers)
                if self._closed:
                    queue.close()
            return queue


def _too_long(store: str, size: int) -> QueryError:
    return QueryError(
        f"store {store!r}: the keys of a query may have {_KEY_BYTES_MAX:,} bytes "
        f"in all; got {size:,}; ask for fewer at once"
    )


class _Queue:
    """The questions to one worker: those that wait for its poll, and those that it has taken."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers
        self._changed = threading.Condition()
        self._waiting: deque[_Pending] = deque()
        self._open: dict[int, KeyBatch] = {}
        """The batches that wait and may grow, by the identity of what their keys have in common."""
        self._asker_count = 0
        """How many wait for what waits here."""
        self._taken: dict[int, _Pending] = {}
        self._gathering = Gathering()
        self._lingers = False
        """Whether a poll waits for more questions."""
        self._lingers_for_keys = False
        self._enough = 0
        self._closed = False

    def put(self, pending: _PendingQuestion) -> bool:
        """Add a question; no if the worker is gone."""
        with self._changed:
            if self._closed:
                return False
            self._count_asker()
            self._waiting.append(pending)
            self._notify()
            return True

    def put_key(self, common: Question, place: KeyPlace, ended: KeyEnded) -> KeyBatch | None:
        """Add a key to a batch, and return this; None if the worker is gone."""
        with self._changed:
            if self._closed:
                return None
            self._count_asker()
            batch = self._open.get(id(common))
            if batch is None or batch.is_full or batch.key_bytes + len(place.key) > _KEY_BYTES_MAX:
                batch = self._open[id(common)] = KeyBatch(common)
                self._waiting.append(batch)
            batch.add(place, ended)
            self._notify()
            return batch

    def _count_asker(self) -> None:
        if self._asker_count or self._taken:
            self._gathering.overlapped(monotonic())
        self._asker_count += 1

    def _notify(self) -> None:
        is_awaited = self._is_enough() if self._lingers else self._asker_count == 1
        if is_awaited:
            self._changed.notify_all()

    def drop(self, pending: _PendingQuestion) -> None:
        """Remove a question whose asker waits no longer."""
        with self._changed:
            if self._taken.pop(pending.number, None) is None and pending in self._waiting:
                self._waiting.remove(pending)
                self._asker_count -= 1

    def drop_key(self, batch: KeyBatch, place: KeyPlace, ended: KeyEnded) -> None:
        """Remove an asker, who waits no longer, from a batch."""
        with self._changed:
            if not batch.drop(place, ended):
                return
            is_waiting = not batch.number
            self._asker_count -= is_waiting
            if batch.asker_count:
                return
            if is_waiting:
                self._waiting.remove(batch)
                self._open = {at: one for at, one in self._open.items() if one is not batch}
            else:
                self._taken.pop(batch.number, None)

    def poll(self, answers: tuple[Answer, ...], answer_seconds: float) -> list[Question]:
        """Hand over the answers, for which the worker took so long; wait for questions and take
        them.
        """
        with self._changed:
            asker_count = self._asker_count
            for answer in answers:
                pending = self._taken.pop(answer.number, None)
                if pending is not None:
                    asker_count += pending.asker_count
                    pending.end(answer)
            known = asker_count if answers else None
            # Others are on their way: one wait for all of them, not one for the first and another
            # for the rest.
            self._linger(self._gathering.wait(monotonic(), known, answer_seconds))
            if not self._waiting:
                self._changed.wait_for(lambda: self._waiting or self._closed, _WAIT_SECONDS)
            return self._take()

    def _linger(self, wait: Wait) -> None:
        if wait.seconds <= 0:
            return
        self._lingers, self._enough = True, wait.enough
        ended = self._changed.wait_for(self._is_enough, wait.seconds)
        if not ended and wait.seconds_of_keys > 0:
            before = self._asker_count
            self._lingers_for_keys = True
            if not self._changed.wait_for(self._is_enough, wait.seconds_of_keys):
                self._gathering.waited_for_keys(monotonic(), self._asker_count - before)
        self._lingers = self._lingers_for_keys = False

    def _is_enough(self) -> bool:
        if self._closed or self._asker_count >= self._enough:
            return True
        return self._lingers_for_keys and not all(
            isinstance(one, KeyBatch) for one in self._waiting
        )

    def _take(self) -> list[Question]:
        questions: list[Question] = []
        room = _KEY_BYTES_MAX
        while self._waiting and room > 0 and len(questions) < _AT_ONCE_MAX:
            pending = self._waiting.popleft()
            question = pending.question(next(self._numbers))
            self._taken[pending.number] = pending
            questions.append(question)
            room -= pending.key_bytes
            self._asker_count -= pending.asker_count
        # What is left is sent as it is.
        self._open.clear()
        return questions

    def close(self) -> None:
        """Wake all that wait, on both sides."""
        with self._changed:
            self._closed = True
            for pending in (*self._waiting, *self._taken.values()):
                pending.end(None)
            self._waiting.clear()
            self._open.clear()
            self._taken.clear()
            self._asker_count = 0
            self._changed.notify_all()
