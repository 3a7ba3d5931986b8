"""Keys of a store that are asked for one by one, and travel to the worker as one question.

What a question costs the worker is paid once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from msgspec import structs

from penstock._engine.queries.questions import Answer, Part, Question, Read, Row

_KEYS_MAX = 1000
"""More would keep the worker from its records for milliseconds."""

KeyEnded: TypeAlias = Callable[[Part | None], None]
"""Takes the answer to one key; None: it must be asked for again."""

# A page that is full keeps no scan open: the keys that it had no room for are asked for again.
_READ = Read("get", anew=True)


class KeyPlace(NamedTuple):
    """A key, and the partition in which it is looked for."""

    partition: int
    key: bytes


def question_of_keys(
    store: str, *, uncommitted: bool, stale_ok: bool, seconds: float, bytes_max: int
) -> Question:
    """Return what the questions for single keys of a store have in common."""
    return Question(
        0, store, _READ, (), uncommitted, stale_ok, seconds=seconds, bytes_max=bytes_max
    )


class KeyBatch:
    """Some keys, and who asks for them. Grows until it is sent."""

    __slots__ = ("_askers", "_common", "asker_count", "key_bytes", "number")

    def __init__(self, common: Question) -> None:
        self._common = common
        self._askers: dict[int, dict[bytes, list[KeyEnded]]] = {}
        """By partition and key."""
        self.number = 0
        """That of the question that was sent."""
        self.asker_count = self.key_bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether it may have no more keys."""
        return self.asker_count >= _KEYS_MAX

    def add(self, place: KeyPlace, ended: KeyEnded) -> None:
        """Ask for one more key. `ended` is called once, with what the task of the partition says:
        the row, or that it has none. If a row cannot be read, all keys of its partition fail; a key
        for which the answer had no room gets None. Asked for alone, each has an answer of its own.
        """
        keys = self._askers.get(place.partition)
        if keys is None:
            keys = self._askers[place.partition] = {}
        keys.setdefault(place.key, []).append(ended)
        self.asker_count += 1
        self.key_bytes += len(place.key)

    def drop(self, place: KeyPlace, ended: KeyEnded) -> bool:
        """Remove an asker; return False if the batch has none such."""
        keys = self._askers.get(place.partition, {})
        askers = keys.get(place.key, [])
        if ended not in askers:
            return False
        askers.remove(ended)
        if not askers:
            del keys[place.key]
        self.asker_count -= 1
        self.key_bytes -= len(place.key)
        return True

    def question(self, number: int) -> Question:
        """Return the question for all keys."""
        self.number = number
        asked = {partition: tuple(keys) for partition, keys in self._askers.items() if keys}
        # A page is never full for the number of its rows.
        rows_max = self.asker_count + 1
        return structs.replace(
            self._common,
            number=number,
            partitions=tuple(asked),
            rows_max=rows_max,
            keys=tuple(asked.values()),
        )

    def end(self, answer: Answer | None) -> None:
        """Hand each asker the answer to its key."""
        parts = {} if answer is None else {part.partition: part for part in answer.parts}
        # The askers may hold this batch: they are no cycle then.
        asked, self._askers = self._askers, {}
        for partition, keys in asked.items():
            part = parts.get(partition)
            rows = {} if part is None else {row[0]: row for row in part.rows}
            for key, askers in keys.items():
                own = None if part is None else _part_of_key(part, rows.get(key))
                for ended in askers:
                    ended(own)


def _part_of_key(part: Part, row: Row | None) -> Part | None:
    """Return the answer to one key; None if the page had no room for it."""
    if row is None and part.cursor is not None:
        return None
    rows = () if row is None else (row,)
    behind, failure = part.offsets_behind, part.failure
    return Part(part.partition, rows, None, part.position, behind, failure, part.message)
