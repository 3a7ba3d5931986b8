"""Answers a worker's questions on its engine thread, between two steps.

So no lock is on the record's way, and an answer is one point in time of its task. A scan that has
more rows than a page stays open as a cursor, for a while: its pages are of one point in time where
the engine has snapshots.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeAlias

from msgspec.structs import replace

from penstock._clock import monotonic
from penstock._engine.queries.open_scans import OpenScans, random_number
from penstock._engine.queries.questions import (
    BEHIND_LAST_ROW,
    SCAN_ENDED,
    Answer,
    Part,
    Position,
    Question,
    Row,
)
from penstock._engine.queries.reading import bytes_of, part_of, rows_of
from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock.errors import StateClosedError

# A merged scan has one in each of its tasks.
_CURSORS_MAX = 1000
_HOT_SECONDS = 1.0
# Records wait meanwhile: an answer passes over some ten thousand rows at most, in about so many
# microseconds.
_MARKS_MAX = 100


IsOver: TypeAlias = Callable[[], bool]
"""Says whether an answer is no longer waited for."""


class QueryableTask(Protocol):
    """A task of this worker, as a query sees it."""

    @property
    def partition(self) -> int: ...
    @property
    def is_ready(self) -> bool:
        """Whether it is restored and runs."""

    def has_store(self, name: str) -> bool: ...
    def store(self, name: str) -> TaskStore | None:
        """Return a store to read; None if it cannot be had now."""

    def position(self, *, uncommitted: bool) -> Position: ...
    def offsets_behind(self) -> int: ...
    def restore_progress(self, store: str) -> tuple[int, int] | None:
        """Return the changelog offset that a store has reached and the one it restores to; None if
        it is restored, or has no changelog.
        """


class Engine(Protocol):
    """The worker whose thread answers. Implemented by `Worker`."""

    def doing(self) -> str:
        """Return what the thread is busy with."""

    def wake(self) -> bool:
        """End the thread's wait for records; no if that cannot be done."""


class QueryServer:
    """Takes questions on one thread, answers them on another."""

    def __init__(self) -> None:
        self._batches: deque[_Batch] = deque()
        self._cursors: OpenScans[int, _Cursor] = OpenScans(random_number, _CURSORS_MAX)
        self._hot_until = 0.0
        self._closed = False

    @property
    def has_questions(self) -> bool:
        """Whether the engine thread is asked something."""
        return bool(self._batches)

    @property
    def is_hot(self) -> bool:
        """Whether the engine cannot be woken and was asked a moment ago: short waits are due."""
        return monotonic() < self._hot_until

    def ask(self, questions: Iterable[Question], engine: Engine) -> tuple[Answer, ...]:
        """Return the answers of the engine thread, or what keeps it from answering."""
        batch = _Batch(list(questions))
        # The asker of each question waits for its own time; none may end the time of the others.
        seconds = max((question.seconds for question in batch.questions), default=0.0)
        self._batches.append(batch)
        if self._closed:
            self.serve(())
        can_wake = engine.wake()
        batch.unanswered.acquire(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX))
        self._hot_until = 0.0 if can_wake else monotonic() + _HOT_SECONDS
        batch.abandoned = True
        answers = [batch.answers.get(question.number) for question in batch.questions]
        busy = engine.doing() if None in answers else ""
        return tuple(
            answer or Answer(question.number, busy=busy)
            for question, answer in zip(batch.questions, answers, strict=True)
        )

    def serve(self, tasks: Iterable[QueryableTask]) -> None:
        """Answer all that was asked; called on the engine thread."""
        here = list(tasks)
        while batch := self._next_batch():
            for question in batch.questions:
                if batch.abandoned:
                    break
                answer = self._answer(question, here, batch.is_abandoned)
                if batch.abandoned:
                    break  # it may have been cut, and its asker may still look
                batch.answers[question.number] = answer
            batch.unanswered.release()
        self.drop_old()

    def _next_batch(self) -> _Batch | None:
        try:
            return self._batches.popleft()
        except IndexError:
            return None

    def drop_old(self) -> None:
        """Forget scans whose next page was not asked for in time; called on the engine thread."""
        self._cursors.drop_old()

    def close(self) -> None:
        """Drop all cursors, before the stores are closed; questions are answered from now on, those
        that wait too, but no task is here any more.
        """
        self._cursors.clear()
        self._closed = True
        self.serve(())

    def _answer(
        self, question: Question, tasks: list[QueryableTask], is_over: IsOver = lambda: False
    ) -> Answer:
        room = question.room
        if question.cursor is not None:
            share = _Share(room, _MARKS_MAX, is_over)
            return Answer(question.number, (self._next_page(question, question.cursor, share),))
        parts: list[Part] = []
        weights = question.weights
        left = sum(weights)
        marks = max(1, _MARKS_MAX // max(1, len(weights)))
        for index, weight in enumerate(weights):
            share = _Share(room * weight // left, marks, is_over)
            parts.append(self._part(question, index, tasks, share))
            room = max(0, room - bytes_of(parts[-1].rows))
            left -= weight
        return Answer(question.number, tuple(parts))

    def _part(
        self, question: Question, index: int, tasks: list[QueryableTask], share: _Share
    ) -> Part:
        partition = question.partitions[index]
        name = question.store
        held = (task for task in tasks if task.partition == partition and task.has_store(name))
        task = next(held, None)
        if task is None:
            return Part(partition, failure="absent", message="the task is not here")
        if question.read.kind == "restoring":
            return _progress(partition, task.restore_progress(name))
        if not task.is_ready and not question.stale_ok:
            behind = task.offsets_behind()
            msg = f"the store is being restored: {behind:,} changelog records are left"
            return Part(partition, offsets_behind=behind, failure="not_ready", message=msg)
        return self._read(question, index, task, share)

    def _read(self, question: Question, index: int, task: QueryableTask, share: _Share) -> Part:
        partition = task.partition
        try:
            store = task.store(question.store)
            if store is None:
                return Part(partition, failure="absent", message="its copy cannot be opened now")
            behind = 0 if task.is_ready else task.offsets_behind()
            reader = store.reader(uncommitted=question.uncommitted)
            rows = rows_of(reader, question.read_of(index))
            page, follows = share.page_of(rows, question.rows_max)
        except LookupError as error:
            return Part(partition, failure="refused", message=str(error))
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            return Part(partition, failure="failed", message=message)
        position = task.position(uncommitted=question.uncommitted)
        part = Part(partition, page, None, position, behind)
        return self._keep(question, part, rows) if follows else part

    def _next_page(self, question: Question, number: int, share: _Share) -> Part:
        cursor = self._cursors.take(number, lambda kept: kept.is_of(question))
        if cursor is None:
            return Part(-1, failure="absent", message=SCAN_ENDED)
        part = cursor.part
        try:
            page, follows = share.page_of(cursor.rows, question.rows_max)
        except StateClosedError:
            return Part(part.partition, failure="absent", message="its task has moved")
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            return Part(part.partition, failure="failed", message=message)
        part = Part(part.partition, page, None, part.position, part.offsets_behind)
        return self._keep(question, part, cursor.rows) if follows else part

    def _keep(self, question: Question, part: Part, rows: Iterator[Row | None]) -> Part:
        """Keep a scan open that has filled its page, had no room for any row, or has passed over
        many; unless the rows that are left are asked for anew.
        """
        if question.read.anew:
            number = BEHIND_LAST_ROW
        else:  # the page itself has been answered
            number = self._cursors.keep(_Cursor(question.store, replace(part, rows=()), rows))
        return Part(part.partition, part.rows, number, part.position, part.offsets_behind)


class _Share(NamedTuple):
    """What one part may take of an answer."""

    room: int
    marks: int
    is_over: IsOver

    def page_of(self, rows: Iterator[Row | None], rows_max: int) -> tuple[tuple[Row, ...], bool]:
        """Return the next rows, and whether others may follow that are still asked for."""
        page, follows = part_of(rows, (rows_max, self.room, self.marks), self.is_over)
        return page, follows and not self.is_over()


class _Batch:
    """Questions that came together, and their answers; both end with the call that asked."""

    __slots__ = ("abandoned", "answers", "questions", "unanswered")

    def __init__(self, questions: list[Question]) -> None:
        self.questions = questions
        self.answers: dict[int, Answer] = {}
        self.unanswered = threading.Lock()  # a bare lock is what costs least to wait on
        self.unanswered.acquire()
        self.abandoned = False

    def is_abandoned(self) -> bool:
        """Return whether the answers are no longer waited for."""
        return self.abandoned


class _Cursor:
    def __init__(self, store: str, part: Part, rows: Iterator[Row | None]) -> None:
        self.store, self.part, self.rows = store, part, rows

    def is_of(self, question: Question) -> bool:
        return self.store == question.store and question.partitions == (self.part.partition,)


def _progress(partition: int, restoring: tuple[int, int] | None) -> Part:
    if restoring is None:
        return Part(partition)
    reached, end = restoring
    return Part(partition, ((b"", b"", None, reached, end),))
