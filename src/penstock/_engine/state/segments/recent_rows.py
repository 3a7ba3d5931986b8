"""The rows of a segment and key, asked for again and again: read once, then known.

Sessions, sliding windows and joins look at the latest rows of a key with each of its records. A
look into RocksDB costs more than all the rest of such a record's way; and before it, everything
that is committed must be written there. So what was read of a key, from some time on to its last
row, is kept and follows what is written. Rows that are later than all that was there before need
not be read at all: each was seen when it was written, and a key without any has none. Java has
nothing like it.

What happens nearly always is also in C (`_recent.c`), which is there if a C compiler was when
Penstock was installed. It does the same, and the same tests are run on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from penstock._engine.state.codec import TIMESTAMP_BYTES, pack_timestamp, timestamp_of
from penstock.windows import END_OF_TIME

Row: TypeAlias = tuple[bytes, bytes]
"""A row key and what is under it."""

# So many rows and keys a store may know; then it forgets what it has not met for longest. Of one
# key it knows an eighth of that, or from a later time on.
_KNOWN_MAX = 80_000
# So many rows that are not committed are put in the order of their keys only if somebody asks.
_UNSORTED_MAX = 10_000
# So many rows of a key are looked through; of more, those before the time in question are let go.
_LOOKED_THROUGH_MAX = 16

_NEVER = b"\xff" * TIMESTAMP_BYTES


def lay_over(rows: dict[bytes, bytes], changes: Iterable[tuple[bytes, bytes | None]]) -> None:
    """Let rows have changes, None for what is deleted."""
    for row_key, row in changes:
        if row is None:
            rows.pop(row_key, None)
        else:
            rows[row_key] = row


def _after(time: int) -> bytes:
    """Give the bytes of the next millisecond; behind the last one comes no row."""
    return pack_timestamp(time + 1) if time < END_OF_TIME else _NEVER


class _Tail:
    """All rows of a segment and key from a row key on."""

    __slots__ = ("first", "rows")

    def __init__(self, first: bytes, rows: dict[bytes, bytes]) -> None:
        self.first = first
        self.rows = rows


class RecentRows:
    """What is known of the rows of a store, `pending` those that wait for their commit.

    `read(first, last)` gives what is committed from one row key up to another; `length` is how many
    bytes follow segment and key in a row key, a time first; `observed` is the latest time of a row
    that was put so far.

    The keys that were met since half of what may be known was new are young, those before are old.
    When the young are that many again, the old ones that were not met since are forgotten.
    """

    __slots__ = (
        "_latest",
        "_length",
        "_old",
        "_old_until",
        "_pending",
        "_read",
        "_since",
        "_unsorted",
        "_young",
        "_young_count",
        "_young_max",
    )

    new_tail = _Tail
    """For `_recent.c`."""

    def __init__(
        self,
        read: Callable[[bytes, bytes], list[Row]],
        length: int,
        pending: Mapping[bytes, bytes | None],
        observed: int,
    ) -> None:
        self._read = read
        self._length = length
        self._since = self._old_until = self._latest = _after(observed)
        """`_since`: from this time on all rows are known: where there is no tail, there are none.
        `_old_until`: no row of an old key is of this time or later.
        """
        self._young: dict[bytes, _Tail] = {}
        self._young_count = 0
        self._young_max = 3 * _KNOWN_MAX // 8 - 1
        self._old: dict[bytes, _Tail] = {}
        self._pending: dict[bytes, dict[bytes, bytes | None]] = {}
        self._unsorted: list[tuple[bytes, bytes | None]] = []
        for row_key, row in pending.items():
            self.note(row_key, row)

    def note(self, row_key: bytes, row: bytes | None) -> None:
        """Learn that a row is written, or deleted (None)."""
        self._unsorted.append((row_key, row))
        if len(self._unsorted) > _UNSORTED_MAX:
            self._sort_pending()
        prefix = row_key[: -self._length]
        at = len(prefix)
        time = row_key[at : at + TIMESTAMP_BYTES]
        self._latest = max(self._latest, time)
        tail = self._young.get(prefix) or self._met_again(prefix)
        if tail is None:
            if row is not None and time >= self._since:
                self._keep(prefix, _Tail(prefix + self._since, {row_key: row}))
        elif row_key >= tail.first:
            before = len(tail.rows)
            lay_over(tail.rows, ((row_key, row),))
            self._young_count += len(tail.rows) - before
            self._forget_if_many(tail)

    def committed(self) -> None:
        """Learn that all that was noted is committed."""
        self._pending.clear()
        self._unsorted.clear()

    def collect(self, prefix: bytes, start: bytes, end: bytes, *, to_the_last: bool) -> list[Row]:
        """Give the rows of a segment and key from one time to another, in order; `to_the_last` if
        there is none behind them.
        """
        first, last = prefix + start, prefix + end
        tail = self._young.get(prefix) or self._met_again(prefix)
        if tail is None and start >= self._since:
            return []
        if tail is None or tail.first > first:
            rows = self._rows_between(prefix, first, last)
            if to_the_last:
                self._keep(prefix, _Tail(first, rows))
            return sorted(rows.items())
        rows = tail.rows
        if len(rows) > _LOOKED_THROUGH_MAX:
            rows = self._cut(tail, first)
        if not rows:
            return []
        return sorted(row for row in rows.items() if first <= row[0] < last)

    def count(self) -> int:
        """Give how many rows and keys are known."""
        tails = (*self._young.values(), *self._old.values())
        return sum(1 + len(tail.rows) for tail in tails)

    def _met_again(self, prefix: bytes) -> _Tail | None:
        """Give the tail of a key that is not young, which makes it so."""
        tail = self._old.pop(prefix, None)
        if tail is not None:
            self._grow_old_if_many()
            self._young[prefix] = tail
            self._young_count += 1 + len(tail.rows)
        return tail

    def _rows_between(self, prefix: bytes, first: bytes, last: bytes) -> dict[bytes, bytes]:
        length = len(prefix) + self._length
        # Of another length is another key, whose bytes go on as if they were a time.
        rows = {key: row for key, row in self._read(first, last) if len(key) == length}
        self._sort_pending()
        pending = self._pending.get(prefix, {}).items()
        lay_over(rows, (change for change in pending if first <= change[0] < last))
        return rows

    def _sort_pending(self) -> None:
        pending, length = self._pending, self._length
        for row_key, row in self._unsorted:
            pending.setdefault(row_key[:-length], {})[row_key] = row
        self._unsorted.clear()

    def _keep(self, prefix: bytes, tail: _Tail) -> None:
        known = self._young.get(prefix)
        self._young[prefix] = tail
        self._young_count += 1 + len(tail.rows) - (0 if known is None else 1 + len(known.rows))
        self._forget_if_many(tail)

    def _forget_if_many(self, grown: _Tail) -> None:
        """Forget something if there is too much since a young key has grown."""
        of_one_key = _KNOWN_MAX // 8
        if len(grown.rows) > of_one_key:
            self._cut(grown, sorted(grown.rows)[-(of_one_key // 2)])
        self._grow_old_if_many()

    def _grow_old_if_many(self) -> None:
        if self._young_count > self._young_max:
            self._since = max(self._since, self._old_until)
            self._old_until = max(self._since, _after(timestamp_of(self._latest)))
            self._old, self._young = self._young, {}
            self._young_count = 0

    def _cut(self, tail: _Tail, first: bytes) -> dict[bytes, bytes]:
        """Forget the rows of a young key before a row key; give the others."""
        before = len(tail.rows)
        tail.rows = {row_key: row for row_key, row in tail.rows.items() if row_key >= first}
        tail.first = first
        self._young_count += len(tail.rows) - before
        return tail.rows


def is_compiled() -> bool:
    """Tell whether there is the form in C."""
    return note is not RecentRows.note


if TYPE_CHECKING:
    note = RecentRows.note
else:
    try:
        from penstock._engine.fast import _recent
    except ImportError:
        note = RecentRows.note
    else:
        note = _recent.note
