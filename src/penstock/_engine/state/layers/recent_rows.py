"""The rows of a segment and key, asked for again and again: read once, then known.

Sessions, sliding windows and joins look at the latest rows of a key with each of its records. A
look into RocksDB costs more than all the rest of such a record's way; and before it, everything
that is committed must be written there. So what was read of a key, from some time on to its last
row, is kept and follows what is written. Rows that are later than all that was there before need
not be read at all: each was seen when it was written, and a key without any has none. Java has
nothing like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from penstock._engine.state.layers.codec import TIMESTAMP_BYTES, pack_timestamp, timestamp_of
from penstock.windows import END_OF_TIME

Row: TypeAlias = tuple[bytes, bytes]
"""A row key and what is under it."""

# So many rows and keys a store may know; then it forgets the earlier half.
_KNOWN_MAX = 50_000
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
    """

    __slots__ = ("_known", "_latest", "_length", "_pending", "_read", "_since", "_tails")

    def __init__(
        self,
        read: Callable[[bytes, bytes], list[Row]],
        length: int,
        pending: Mapping[bytes, bytes | None],
        observed: int,
    ) -> None:
        self._read = read
        self._length = length
        self._since = self._latest = _after(observed)
        """From this time on all rows are known: where there is no tail, there are none."""
        self._tails: dict[bytes, _Tail] = {}
        self._known = 0
        self._pending: dict[bytes, dict[bytes, bytes | None]] = {}
        for row_key, row in pending.items():
            self.note(row_key, row)

    def note(self, row_key: bytes, row: bytes | None) -> None:
        """Learn that a row is written, or deleted (None)."""
        prefix = row_key[: -self._length]
        changes = self._pending.get(prefix)
        if changes is None:
            self._pending[prefix] = {row_key: row}
        else:
            changes[row_key] = row
        at = len(prefix)
        time = row_key[at : at + TIMESTAMP_BYTES]
        if time > self._latest:
            self._latest = time
        tail = self._tails.get(prefix)
        if tail is None:
            if row is not None and time >= self._since:
                self._keep(prefix, _Tail(prefix + self._since, {row_key: row}))
        elif row_key >= tail.first:
            before = len(tail.rows)
            lay_over(tail.rows, ((row_key, row),))
            self._grow(len(tail.rows) - before)

    def committed(self) -> None:
        """Learn that all that was noted is committed."""
        self._pending.clear()

    def collect(self, prefix: bytes, start: bytes, end: bytes, *, to_the_last: bool) -> list[Row]:
        """Give the rows of a segment and key from one time to another, in order; `to_the_last` if
        there is none behind them.
        """
        first, last = prefix + start, prefix + end
        tail = self._tails.get(prefix)
        if tail is None and start >= self._since:
            return []
        if tail is None or tail.first > first:
            rows = self._rows_between(prefix, first, last)
            if to_the_last:
                self._keep(prefix, _Tail(first, rows))
            return sorted(rows.items())
        rows = tail.rows
        if len(rows) > _LOOKED_THROUGH_MAX:
            self._known -= len(rows)
            rows = tail.rows = {key: row for key, row in rows.items() if key >= first}
            self._known += len(rows)
            tail.first = first
        if not rows:
            return []
        return sorted(row for row in rows.items() if first <= row[0] < last)

    def _rows_between(self, prefix: bytes, first: bytes, last: bytes) -> dict[bytes, bytes]:
        length = len(prefix) + self._length
        # Of another length is another key, whose bytes go on as if they were a time.
        rows = {key: row for key, row in self._read(first, last) if len(key) == length}
        pending = self._pending.get(prefix, {}).items()
        lay_over(rows, (change for change in pending if first <= change[0] < last))
        return rows

    def _keep(self, prefix: bytes, tail: _Tail) -> None:
        known = self._tails.get(prefix)
        self._tails[prefix] = tail
        self._grow(1 + len(tail.rows) - (0 if known is None else 1 + len(known.rows)))

    def _grow(self, count: int) -> None:
        self._known += count
        if self._known > _KNOWN_MAX:
            since, latest = timestamp_of(self._since), timestamp_of(self._latest)
            self._forget((since + latest) // 2)
            if self._known > _KNOWN_MAX // 2:
                self._forget(latest)

    def _forget(self, time: int) -> None:
        """Know only the rows of later times."""
        self._since = max(self._since, _after(time))
        tails: dict[bytes, _Tail] = {}
        for prefix, tail in self._tails.items():
            first = max(tail.first, prefix + self._since)
            rows = {key: row for key, row in tail.rows.items() if key >= first}
            if rows:
                tails[prefix] = _Tail(first, rows)
        self._tails = tails
        self._known = sum(1 + len(tail.rows) for tail in tails.values())
