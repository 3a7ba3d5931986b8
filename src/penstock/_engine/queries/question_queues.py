"""Questions on their way from the driver to its workers.

Workers need no open port: each holds a connection to the driver on which it brings its answers and
waits for the next questions (`QuestionPoll`). Each worker has a queue with a lock of its own: a
question wakes only the worker that it is for. Keys that are asked for one by one are gathered until
the worker polls (`key_batch.py`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Protocol, TypeAlias

from penstock._clock import monotonic
from penstock._engine.queries import key_batch
from penstock._engine.queries.key_batch import KeyBatch
from penstock._engine.queries.questions import Answer, Question, QuestionPoll
from penstock.errors import QueryError

_WAIT_SECONDS = 2.0
_AT_ONCE_MAX = 1000
# A message may have 16 MB.
_KEY_BYTES_MAX = 4 << 20
_TIME_MAX = 1 << 63
# Questions that overlap are sent together: one that has others beside it waits for more. An
# exchange takes worker and driver half a millisecond each, whatever it carries, and drives the data
# of the records in hand from the processor's caches. So the wait is many times as long as the
# worker took for those before: one that has no records answers at once. No more are waited for than
# there are askers, as most of them wait for their answer.
_LINGER_SECONDS = 0.003
_LINGER_SECONDS_MAX = 0.06
_LINGER_TIMES_BUSY = 10
_LINGER_FOR_MAX = 32
# By how much fewer askers are expected with each exchange. Those who do not wait for their answers
# ask now more, now less.
_FEWER_ASKERS = 0.9
# For how long questions are expected to overlap again. The questions of one asker never do.
_CROWDED_SECONDS = 0.1
# A worker that took questions answers them, or says why not, a moment after their time is over.
_GRACE_SECONDS = 1.0


Ended: TypeAlias = Callable[[Answer | None], None]


class _Pending(Protocol):
    """What waits for a worker, or for its answer. `KeyBatch` is one, too."""

    number: int

    @property
    def askers(self) -> int:
        """How many wait for the answer."""

    @property
    def key_bytes(self) -> int: ...
    def question(self, number: int) -> Question:
        """Return the question to send, under a number."""

    def end(self, answer: Answer | None) -> None:
        """Take the answer, None if none will come."""


class _PendingQuestion:
    """A question on its way; `ended` is called once, with its answer, None if none will come."""

    __slots__ = ("_ended", "_question", "key_bytes", "number")

    askers = 1

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


def linger_seconds(busy_seconds: float) -> float:
    """Return how long questions wait for others, after a worker took so long for those before."""
    return max(_LINGER_SECONDS, min(_LINGER_TIMES_BUSY * busy_seconds, _LINGER_SECONDS_MAX))


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
        place: tuple[int, bytes],
        ended: key_batch.Ended,
    ) -> Callable[[], None] | None:
        """Ask for one key, given by its partition and its bytes, without waiting; return what
        `begin` does. Those of the same question `common` are sent together.

        Raises:
            QueryError: the key is too long for a message.
        """
        partition, key = place
        if len(key) > _KEY_BYTES_MAX:
            raise _too_long(common.store, len(key))
        queue = self._queue(worker)
        batch = queue.put_key(common, partition, key, ended)
        if batch is None:
            return None
        return partial(queue.drop_key, batch, partition, key, ended)

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
        return self._queue((poll.member_id, poll.pid)).poll(poll.answers, poll.seconds)

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
        self._askers = 0
        """How many wait for what waits here."""
        self._taken: dict[int, _Pending] = {}
        self._crowded_until = 0.0
        self._lingers = False
        self._enough = 0
        """When so many ask, no others are waited for."""
        self._most_askers = 0.0
        """How many asked at the same time, at the most, in the last exchanges."""
        self._closed = False

    def put(self, pending: _Pending) -> bool:
        """Add a question; no if the worker is gone."""
        with self._changed:
            if self._closed:
                return False
            self._count_asker()
            self._waiting.append(pending)
            self._notify()
            return True

    def put_key(
        self, common: Question, partition: int, key: bytes, ended: key_batch.Ended
    ) -> KeyBatch | None:
        """Add a key to a batch, and return this; None if the worker is gone."""
        with self._changed:
            if self._closed:
                return None
            self._count_asker()
            batch = self._open.get(id(common))
            if batch is None or batch.is_full or batch.key_bytes + len(key) > _KEY_BYTES_MAX:
                batch = self._open[id(common)] = KeyBatch(common)
                self._waiting.append(batch)
            batch.add(partition, key, ended)
            self._notify()
            return batch

    def _count_asker(self) -> None:
        if self._askers or self._taken:
            self._crowded_until = monotonic() + _CROWDED_SECONDS
        self._askers += 1

    def _notify(self) -> None:
        if self._is_enough() if self._lingers else self._askers == 1:
            self._changed.notify_all()

    def drop(self, pending: _PendingQuestion) -> None:
        """Remove a question whose asker waits no longer."""
        with self._changed:
            if self._taken.pop(pending.number, None) is None and pending in self._waiting:
                self._waiting.remove(pending)
                self._askers -= 1

    def drop_key(self, batch: KeyBatch, partition: int, key: bytes, ended: key_batch.Ended) -> None:
        """Remove a key from its batch for one who waits no longer."""
        with self._changed:
            if not batch.drop(partition, key, ended):
                return
            is_waiting = not batch.number
            self._askers -= is_waiting
            if batch.askers:
                return
            if is_waiting:
                self._waiting.remove(batch)
                self._open = {at: one for at, one in self._open.items() if one is not batch}
            else:
                self._taken.pop(batch.number, None)

    def poll(self, answers: tuple[Answer, ...], seconds: float) -> list[Question]:
        """Hand the answers over, which took so long, wait for questions and take them."""
        with self._changed:
            askers = self._askers
            for answer in answers:
                pending = self._taken.pop(answer.number, None)
                if pending is not None:
                    askers += pending.askers
                    pending.end(answer)
            if monotonic() < self._crowded_until:
                # Others are on their way: one wait for all of them, not one for the first and
                # another for the rest.
                if answers:
                    self._most_askers = max(float(askers), _FEWER_ASKERS * self._most_askers)
                    self._enough = min(round(self._most_askers), _LINGER_FOR_MAX)
                else:  # how many askers there are is not known yet
                    self._enough = _LINGER_FOR_MAX
                self._lingers = True
                self._changed.wait_for(self._is_enough, linger_seconds(seconds))
                self._lingers = False
            if not self._waiting:
                self._changed.wait_for(lambda: self._waiting or self._closed, _WAIT_SECONDS)
            return self._take()

    def _take(self) -> list[Question]:
        questions: list[Question] = []
        room = _KEY_BYTES_MAX
        while self._waiting and room > 0 and len(questions) < _AT_ONCE_MAX:
            pending = self._waiting.popleft()
            question = pending.question(next(self._numbers))
            self._taken[pending.number] = pending
            questions.append(question)
            room -= pending.key_bytes
            self._askers -= pending.askers
        # What is left is sent as it is.
        self._open.clear()
        return questions

    def _is_enough(self) -> bool:
        return self._closed or self._askers >= self._enough

    def close(self) -> None:
        """Wake all that wait, on both sides."""
        with self._changed:
            self._closed = True
            for pending in (*self._waiting, *self._taken.values()):
                pending.end(None)
            self._waiting.clear()
            self._open.clear()
            self._taken.clear()
            self._changed.notify_all()
