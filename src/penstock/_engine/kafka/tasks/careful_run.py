"""A task whose process has died several times at one place: one record after the other.

Each record is named in the task's directory before it is decoded and before it is processed. If the
process dies again, the next one knows the record. After a second death at the same one, the record
is handed to the exception handlers instead of the functions that end the process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from penstock._clock import monotonic
from penstock._engine.runtime.records import OFFSET, RawRecord
from penstock._engine.runtime.task import Task
from penstock._engine.state.files.attempts import Attempt, AttemptFile, Place
from penstock.errors import StreamsError

_CAREFUL_SECONDS = 300.0


class ProcessDied(StreamsError):
    """The process of a worker died repeatedly at this record."""


class CarefulRun:
    """Feeds a task record by record."""

    def __init__(self, task: Task, attempt: Attempt, file: AttemptFile) -> None:
        self._task = task
        self._attempt = attempt
        self._file = file
        self._waiting: dict[tuple[str, int], deque[RawRecord]] = {}
        self._until = monotonic() + _CAREFUL_SECONDS

    def add_records(self, topic: str, number: int, records: Sequence[RawRecord]) -> None:
        """Keep records of one partition until the task has room for the next one."""
        self._waiting.setdefault((topic, number), deque()).extend(records)

    def buffered(self) -> dict[tuple[str, int], int]:
        """Return how many records of each partition wait here."""
        return {partition: len(records) for partition, records in self._waiting.items()}

    @property
    def is_over(self) -> bool:
        """Whether the task has lived for so long that it may be quick again."""
        return monotonic() >= self._until

    def end(self) -> None:
        """Hand over what waits."""
        for (topic, number), records in self._waiting.items():
            self._task.add_records(topic, number, records)
        self._waiting.clear()

    def process(self, now_ms: int, limit: int, deadline: float) -> int:
        """Process up to `limit` records until `deadline`; return how many were processed."""
        done, rejected = 0, False
        while done < limit and monotonic() < deadline:
            rejected = self._fill()
            place = None if rejected else self._task.next_place(now_ms)
            if place is not None:
                self._file.take_in_hand(place, decoding=False)
                rejected = place == self._attempt.culprit
                if rejected:
                    self._task.reject_next(self._died(place), now_ms)
                else:
                    self._task.process(now_ms, 1)
                    # What a cache holds back belongs to this record, not to the next commit.
                    self._task.flush()
                done += 1
            if rejected:
                # Before the next record, which may be as deadly: a process that dies there must not
                # come back here.
                self._task.request_commit()
            if rejected or place is None:
                break
        if done or rejected:
            self._file.put_down()
        return done

    def _fill(self) -> bool:
        """Decode one record of each partition: choosing the next one needs them. Return whether one
        was rejected.
        """
        for (topic, number), records in self._waiting.items():
            if records and not self._task.buffered()[topic, number]:
                raw = records.popleft()
                place = (topic, number, raw[OFFSET])
                self._file.take_in_hand(place, decoding=True)
                if place == self._attempt.culprit and self._attempt.decoding:
                    self._task.reject_input(topic, number, raw, self._died(place))
                    return True
                self._task.add_records(topic, number, [raw])
        return False

    def _died(self, place: Place) -> ProcessDied:
        topic, number, offset = place
        msg = (
            f"the process of the worker died {self._attempt.in_hand_deaths} times at topic "
            f"{topic!r}, partition {number}, offset {offset}, when it processed one record after "
            "the other; its log tells how it died"
        )
        return ProcessDied(msg)
