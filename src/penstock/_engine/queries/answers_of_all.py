"""The answers of several tasks that were asked at the same time, as one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

from penstock._engine.queries.questions import Part


class AnswersOfAll:
    """Takes the answer of each partition; `ended` is called once, when all are there: with the
    first that has rows, in the order of the partitions, or with one that has none. Or with None if
    there are no rows, and a task gave no answer or failed: what was looked for may be there.
    """

    def __init__(self, partitions: Sequence[int], ended: Callable[[Part | None], None]) -> None:
        self._partitions, self._ended = partitions, ended
        self._answers: dict[int, Part | None] = {}
        self._lock = threading.Lock()

    def taker(self, partition: int) -> Callable[[Part | None], None]:
        """Return what takes the answer of a partition; threads may call them at the same time."""
        return partial(self._take, partition)

    def _take(self, partition: int, part: Part | None) -> None:
        with self._lock:
            self._answers[partition] = part
            if len(self._answers) < len(self._partitions):
                return
        self._ended(_first([self._answers[each] for each in self._partitions]))


def _first(answers: Sequence[Part | None]) -> Part | None:
    good = [part for part in answers if part is not None and part.failure is None]
    found = next((part for part in good if part.rows), None)
    return found if found is not None or len(good) < len(answers) else good[-1]
