"""Read-through cache of the newest rows of each segment and key.

Sessions, sliding windows and joins read the latest rows of a key with each of its records. A look
into RocksDB costs more than all the rest of such a record's way; and before it, everything that is
committed must be written there. So rows of a key that were read, from some time on to its last row,
are kept and follow what is written. Rows later than all that were there before need not be read at
all: each was seen when it was written, and a key without any has none. Java has nothing like it.

`RecentRows.note` and `Rows.of_key` are in Python and, for the usual case, in C
(`fast/recent_rows.c`), which owns the fields that it reads: the same tests run on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from penstock._engine.fast.choice import compiled
from penstock._engine.state.codec import TIMESTAMP_BYTES, pack_timestamp, timestamp_of
from penstock.windows import END_OF_TIME

Row: TypeAlias = tuple[bytes, bytes]
"""A row key and what is under it."""

# Rows and keys that are kept for a store; then those met longest ago are dropped. Of one key an
# eighth of that is kept.
_KNOWN_MAX = 80_000
# Uncommitted rows that wait to be sorted by key until they are read.
_UNSORTED_MAX = 10_000
# Rows of a key that are looked through; of more, those before the time in question are dropped.
_LOOKED_THROUGH_MAX = 16

_NEVER = b"\xff" * TIMESTAMP_BYTES


def lay_over(rows: dict[bytes, bytes], changes: Iterable[tuple[bytes, bytes | None]]) -> None:
    """Apply changes to rows, None for a deleted row."""
    for row_key, row in changes:
        if row is None:
            rows.pop(row_key, None)
        else:
            rows[row_key] = row


def after(time: int) -> bytes:
    """Return the bytes of the next millisecond; behind the last one there is no row."""
    return pack_timestamp(time + 1) if time < END_OF_TIME else _NEVER


class PlainTail:
    """All rows of a segment and key from a row key on."""

    __slots__ = ("first", "rows")

    def __init__(self, first: bytes, rows: dict[bytes, bytes]) -> None:
        self.first = first
        self.rows = rows


class PlainKnownRows:
    """The fields of `RecentRows` that C reads and writes."""

    __slots__ = (
        "latest",
        "length",
        "old",
        "since",
        "unsorted",
        "young",
        "young_count",
        "young_max",
    )


if TYPE_CHECKING:
    Tail: TypeAlias = PlainTail
    KnownRows: TypeAlias = PlainKnownRows
else:
    Tail = PlainTail if compiled is None else compiled.Tail
    KnownRows = PlainKnownRows if compiled is None else compiled.KnownRows


class RecentRows(KnownRows):
    """The newest rows of each key of a store, `pending` the uncommitted ones.

    `read(first, last)` returns the committed rows from one row key up to another; `length` is how
    many bytes follow segment and key in a row key, a time first; `observed` is the latest time of a
    row that was put so far.

    Two generations: a key is young if it was met since half of the allowed rows were new, else old.
    When the young are that many again, the old keys that were not met since are dropped.
    """

    __slots__ = ("_old_until", "_pending", "_read")

    def __init__(
        self,
        read: Callable[[bytes, bytes], list[Row]],
        length: int,
        pending: Mapping[bytes, bytes | None],
        observed: int,
    ) -> None:
        self._read = read
        self.length = length
        self.since = self._old_until = self.latest = after(observed)
        """`since`: from this time on all rows are kept: a key without a tail has none.
        `_old_until`: no row of an old key is of this time or later.
        """
        self.young: dict[bytes, Tail] = {}
        self.young_count = 0
        self.young_max = 3 * _KNOWN_MAX // 8 - 1
        self.old: dict[bytes, Tail] = {}
        self._pending: dict[bytes, dict[bytes, bytes | None]] = {}
        self.unsorted: list[tuple[bytes, bytes | None]] = []
        for row_key, row in pending.items():
            self.note(row_key, row)

    def note(self, row_key: bytes, row: bytes | None) -> None:
        """Note that a row is written, or deleted (None)."""
        self.unsorted.append((row_key, row))
        if len(self.unsorted) > _UNSORTED_MAX:
            self._sort_pending()
        prefix = row_key[: -self.length]
        at = len(prefix)
        time = row_key[at : at + TIMESTAMP_BYTES]
        self.latest = max(self.latest, time)
        tail = self.young.get(prefix) or self._met_again(prefix)
        if tail is None:
            if row is not None and time >= self.since:
                self._keep(prefix, Tail(prefix + self.since, {row_key: row}))
        elif row_key >= tail.first:
            before = len(tail.rows)
            lay_over(tail.rows, ((row_key, row),))
            self.young_count += len(tail.rows) - before
            self._drop_if_many(tail)

    def committed(self) -> None:
        """Mark all pending rows as committed."""
        self._pending.clear()
        self.unsorted.clear()

    def collect(self, prefix: bytes, start: bytes, end: bytes, *, to_the_last: bool) -> list[Row]:
        """Return the rows of a segment and key from one time to another, in order; `to_the_last` if
        there is none behind them.
        """
        first, last = prefix + start, prefix + end
        tail = self.young.get(prefix) or self._met_again(prefix)
        if tail is None and start >= self.since:
            return []
        if tail is None or tail.first > first:
            rows = self._rows_between(prefix, first, last)
            if to_the_last:
                self._keep(prefix, Tail(first, rows))
            return sorted(rows.items())
        rows = tail.rows
        if len(rows) > _LOOKED_THROUGH_MAX:
            rows = self._cut(tail, first)
        if not rows:
            return []
        return sorted(row for row in rows.items() if first <= row[0] < last)

    def count(self) -> int:
        """Return how many rows and keys are kept."""
        tails = (*self.young.values(), *self.old.values())
        return sum(1 + len(tail.rows) for tail in tails)

    def _met_again(self, prefix: bytes) -> Tail | None:
        """Return the tail of a key that is not young, which becomes young."""
        tail = self.old.pop(prefix, None)
        if tail is not None:
            self._grow_old_if_many()
            self.young[prefix] = tail
            self.young_count += 1 + len(tail.rows)
        return tail

    def _rows_between(self, prefix: bytes, first: bytes, last: bytes) -> dict[bytes, bytes]:
        length = len(prefix) + self.length
        # Row keys of another length belong to a longer key, whose bytes look like a time.
        rows = {key: row for key, row in self._read(first, last) if len(key) == length}
        self._sort_pending()
        pending = self._pending.get(prefix, {}).items()
        lay_over(rows, (change for change in pending if first <= change[0] < last))
        return rows

    def _sort_pending(self) -> None:
        pending, length = self._pending, self.length
        for row_key, row in self.unsorted:
            pending.setdefault(row_key[:-length], {})[row_key] = row
        self.unsorted.clear()

    def _keep(self, prefix: bytes, tail: Tail) -> None:
        known = self.young.get(prefix)
        self.young[prefix] = tail
        self.young_count += 1 + len(tail.rows) - (0 if known is None else 1 + len(known.rows))
        self._drop_if_many(tail)

    def _drop_if_many(self, grown: Tail) -> None:
        """Drop rows if there are too many since a young key has grown."""
        of_one_key = _KNOWN_MAX // 8
        if len(grown.rows) > of_one_key:
            self._cut(grown, sorted(grown.rows)[-(of_one_key // 2)])
        self._grow_old_if_many()

    def _grow_old_if_many(self) -> None:
        if self.young_count > self.young_max:
            self.since = max(self.since, self._old_until)
            self._old_until = max(self.since, after(timestamp_of(self.latest)))
            self.old, self.young = self.young, {}
            self.young_count = 0

    def _cut(self, tail: Tail, first: bytes) -> dict[bytes, bytes]:
        """Drop the rows of a young key before a row key; return the others."""
        before = len(tail.rows)
        tail.rows = {row_key: row for row_key, row in tail.rows.items() if row_key >= first}
        tail.first = first
        self.young_count += len(tail.rows) - before
        return tail.rows


if TYPE_CHECKING:
    note = RecentRows.note
else:
    note = RecentRows.note if compiled is None else compiled.note_row
