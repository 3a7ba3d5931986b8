"""Keys of a store that are asked for one by one, and travel to the worker as one question.

A question costs a worker five times what a key costs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import structs

from penstock._engine.queries.questions import Answer, Part, Question, Read, Row

_KEYS_MAX = 1000
"""More would keep the worker from its records for milliseconds."""

Ended: TypeAlias = Callable[[Part | None], None]
"""Takes the answer to one key, None if there is none."""

# A page that is full keeps no scan open: who has no answer asks again.
_READ = Read("get", anew=True)


def question_of_keys(
    store: str, *, uncommitted: bool, stale_ok: bool, seconds: float, bytes_max: int
) -> Question:
    """Return what the questions for single keys of a store have in common."""
    return Question(
        0, store, _READ, (), uncommitted, stale_ok, seconds=seconds, bytes_max=bytes_max
    )


class KeyBatch:
    """Some keys, and who asks for them. Grows until it is sent."""

    __slots__ = ("_askers", "_common", "askers", "key_bytes", "number")

    def __init__(self, common: Question) -> None:
        self._common = common
        self._askers: dict[int, dict[bytes, list[Ended]]] = {}
        """By partition and key."""
        self.number = 0
        """That of the question that was sent."""
        self.askers = self.key_bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether it may have no more keys."""
        return self.askers >= _KEYS_MAX

    def add(self, partition: int, key: bytes, ended: Ended) -> None:
        """Ask for one more key; `ended` is called once, with what the task of the partition answers
        to this key alone.
        """
        keys = self._askers.get(partition)
        if keys is None:
            keys = self._askers[partition] = {}
        keys.setdefault(key, []).append(ended)
        self.askers += 1
        self.key_bytes += len(key)

    def drop(self, partition: int, key: bytes, ended: Ended) -> bool:
        """Forget one who asks; no if there is none such."""
        keys = self._askers.get(partition, {})
        askers = keys.get(key, [])
        if ended not in askers:
            return False
        askers.remove(ended)
        if not askers:
            del keys[key]
        self.askers -= 1
        return True

    def question(self, number: int) -> Question:
        """Return the question for all keys."""
        self.number = number
        asked = {partition: tuple(keys) for partition, keys in self._askers.items() if keys}
        # A page is never full for the number of its rows.
        rows_max = self.askers + 1
        return structs.replace(
            self._common,
            number=number,
            partitions=tuple(asked),
            rows_max=rows_max,
            keys=tuple(asked.values()),
        )

    def end(self, answer: Answer | None) -> None:
        """Hand the answer of each key to those who ask for it."""
        parts = {} if answer is None else {part.partition: part for part in answer.parts}
        # Who asks may hold this batch: they are no cycle then.
        asked, self._askers = self._askers, {}
        for partition, keys in asked.items():
            part = parts.get(partition)
            rows = {} if part is None else {row[0]: row for row in part.rows}
            for key, askers in keys.items():
                own = None if part is None else _part_of_key(part, rows.get(key))
                for ended in askers:
                    ended(own)


def _part_of_key(part: Part, row: Row | None) -> Part | None:
    """Return the answer to one key; None if there was no room for it."""
    if row is None and part.cursor is not None:
        return None
    rows = () if row is None else (row,)
    behind, failure = part.offsets_behind, part.failure
    return Part(part.partition, rows, None, part.position, behind, failure, part.message)
