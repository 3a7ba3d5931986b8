"""The record cache of a store of windows or sessions. Java: CachingWindowStore,
CachingSessionStore.

It holds rows by their row keys, as Java does, so that it overflows at the same record. Unlike the
cache of a key-value store it does not keep rows that were only read, and it has an index of the
rows of each key; over a store in memory also one by time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from operator import itemgetter
from typing import TypeAlias

from penstock._engine.state.cache.entries import CachedPair
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.merging import merged
from penstock._engine.state.segments.recent_rows import Row
from penstock._engine.state.segments.rows import SEGMENT_BYTES, RowPlace, Rows, time_at

# The index may hold this many evicted row keys, besides as many as there are cached ones.
_GONE_MAX = 1_000
# More cached rows than these are not looked through with each read of a store in memory.
_PASSED_MAX = 256
# The index by time may hold this many row keys, evicted ones too, before it is made anew.
_PLACED_MAX = 4 * _PASSED_MAX

TimeAndKey: TypeAlias = tuple[int, bytes]

_place_of = itemgetter(0)


class CachedRows(CachedStore):
    """A RecordStore by row keys over `Rows`; `tail` is how many bytes follow the key in these."""

    __slots__ = ("_by_key", "_by_time", "_remembered", "_tail", "latest")

    def __init__(self, below: Rows, place: RowPlace, tail: int, *, key_bytes: int = 0) -> None:
        """`key_bytes` is how much longer Java's row keys are."""
        super().__init__(
            below,
            place.budget,
            place.position,
            counts_reads=place.counts_cache_reads,
            key_bytes=key_bytes,
        )
        self._tail = tail
        self._by_key: dict[bytes, list[bytes]] | None = None
        """The index: row keys of each key, in order, all that are cached and some that were. None
        until the first `of_key`.
        """
        self._remembered = 0
        self._by_time: list[tuple[TimeAndKey, bytes]] | None = None
        """The row keys of all keys by time and key, in order, all that are cached and some that
        were. None until the first `passed_in_memory`, and when it has grown too large.
        """
        self.latest = -1
        """The latest time of a row that was put."""

    def _miss(self, key: bytes) -> bytes | None:
        return self._below.get(key)

    def _note_new(self, key: bytes) -> None:
        time = time_at(key, len(key) - self._tail)[0]
        self.latest = max(self.latest, time)
        if self._by_key is not None:
            self._remember(self._by_key, key)
        if self._by_time is not None:
            self._place(self._by_time, key, time)

    def scan(self, start: bytes | None, end: bytes | None, *, reverse: bool) -> Iterator[Row]:
        return self.merged_with(
            self._below.scan(start, end, reverse=reverse),
            lambda key: (start is None or start <= key) and (end is None or key < end),
            reverse=reverse,
        )

    def merged_with(
        self, entries: Iterator[Row], matches: Callable[[bytes], bool], *, reverse: bool
    ) -> Iterator[Row]:
        """Return the cached rows that match, merged with entries of the store below."""
        row_keys = sorted(filter(matches, self.entries.in_order_of_use()), reverse=reverse)
        return merged(self._pairs(row_keys), entries, reverse=reverse) if row_keys else entries

    def cached(
        self,
        matches: Callable[[bytes], bool],
        *,
        reverse: bool,
        by: Callable[[bytes], bytes],
    ) -> list[CachedPair]:
        """Return the cached rows that match, in the order of what `by` makes of their row keys;
        they count as used in that order.
        """
        row_keys = filter(matches, self.entries.in_order_of_use())
        return list(self._pairs(sorted(row_keys, key=by, reverse=reverse)))

    def of_key(
        self, raw_key: bytes, first: bytes, behind: bytes | None, *, reverse: bool
    ) -> list[CachedPair]:
        """Return the cached rows of a key in order, from one row key up to another, None for no
        end; all of them count as used.
        """
        cached = self.keys_of(raw_key, first, behind)
        if reverse:
            cached.reverse()
        return list(self._pairs(cached))

    def keys_of(self, raw_key: bytes, first: bytes, behind: bytes | None) -> list[bytes]:
        """Return the row keys of a key that are cached, in order, from one up to another, None for
        no end; this is no use of them.
        """
        if not len(self.entries):
            return []
        by_key = self._by_key
        if by_key is None or self._remembered > 2 * len(self.entries) + _GONE_MAX:
            by_key = self._by_key = self._remember_all()
        row_keys = by_key.get(raw_key)
        if row_keys is None or row_keys[-1] < first:
            return []
        start = bisect_left(row_keys, first)
        end = len(row_keys) if behind is None else bisect_left(row_keys, behind)
        meant = row_keys[start:end]
        entries = self.entries
        cached = [row_key for row_key in meant if row_key in entries]
        if len(cached) < len(meant):
            row_keys[start:end] = cached
            self._remembered -= len(meant) - len(cached)
            if not row_keys:
                del by_key[raw_key]
        return cached

    def passed_in_memory(
        self, first: TimeAndKey, last: TimeAndKey, *, reverse: bool
    ) -> list[bytes] | None:
        """Return the row keys that Java passes when it reads a store in memory: those of all keys,
        by time and then by key, from one to another. None if there are many: Java would look
        through them with each read, and which of many gives way first is worth less than that.
        """
        if len(self.entries) > _PASSED_MAX:
            return None
        entries, by_time = self.entries, self._by_time
        if by_time is None:
            by_time = self._by_time = self._place_all()
        start = bisect_left(by_time, first, key=_place_of)
        end = bisect_right(by_time, last, lo=start, key=_place_of)
        passed = [row_key for _, row_key in by_time[start:end] if row_key in entries]
        if reverse:
            passed.reverse()
        return passed

    def used_in_turn(
        self, rows: list[Row], row_keys: Iterable[bytes], meant: AbstractSet[bytes]
    ) -> Iterator[Row]:
        """Yield `rows`; the cached `row_keys`, in the same order, count as used when Java's
        iterator comes to them: before each row it looks for the next cached one that is `meant`,
        and uses those that it passes. Rows that have given way meanwhile are not used.
        """
        entries, ahead, found = self.entries, iter(row_keys), None
        use = entries.get
        for row in rows:
            if found is None:
                for row_key in ahead:
                    if row_key in entries and use(row_key) is not None and row_key in meant:
                        found = row_key
                        break
            yield row
            if row[0] == found:
                found = None
        if found is None:
            for row_key in ahead:
                if row_key in entries:
                    use(row_key)

    def _pairs(self, row_keys: list[bytes]) -> Iterable[CachedPair]:
        """Return cached rows, each of which counts as used when the reader comes to it."""
        return self._used_in_turn(row_keys)

    def _place_all(self) -> list[tuple[TimeAndKey, bytes]]:
        tail = self._tail
        return sorted(
            ((time_at(key, len(key) - tail)[0], key[SEGMENT_BYTES:-tail]), key)
            for key in self.entries.in_order_of_use()
        )

    def _place(self, by_time: list[tuple[TimeAndKey, bytes]], row_key: bytes, time: int) -> None:
        placed = ((time, row_key[SEGMENT_BYTES : -self._tail]), row_key)
        at = bisect_left(by_time, placed)
        if at < len(by_time) and by_time[at] == placed:
            return  # it was cached before
        if len(by_time) >= _PLACED_MAX:
            self._by_time = None
        else:
            by_time.insert(at, placed)

    def _remember_all(self) -> dict[bytes, list[bytes]]:
        by_key: dict[bytes, list[bytes]] = {}
        self._remembered = 0
        for row_key in sorted(self.entries.in_order_of_use()):
            self._remember(by_key, row_key)
        return by_key

    def _remember(self, by_key: dict[bytes, list[bytes]], row_key: bytes) -> None:
        row_keys = by_key.setdefault(row_key[SEGMENT_BYTES : -self._tail], [])
        if not row_keys or row_keys[-1] < row_key:
            row_keys.append(row_key)
        else:
            at = bisect_left(row_keys, row_key)
            if row_keys[at] == row_key:
                return  # it was cached before
            row_keys.insert(at, row_key)
        self._remembered += 1


class QuietRows(CachedRows):
    """The cached rows of a store as a query sees them: to read them is no use of them."""

    __slots__ = ("_shared",)

    def __init__(self, shared: CachedRows) -> None:
        self._below, self.entries, self.write = shared._below, shared.entries, shared.write
        self._shared = shared
        """Has the index, which follows what is put."""
        self.get = self.peek = self._look

    def _look(self, key: bytes) -> bytes | None:
        return self.entries.peek(key) if key in self.entries else self._below.get(key)

    def keys_of(self, raw_key: bytes, first: bytes, behind: bytes | None) -> list[bytes]:
        return self._shared.keys_of(raw_key, first, behind)

    def passed_in_memory(
        self,
        first: TimeAndKey,  # noqa: ARG002  # of the same form
        last: TimeAndKey,  # noqa: ARG002
        *,
        reverse: bool,  # noqa: ARG002
    ) -> list[bytes] | None:
        return None  # what is passed would only count as used

    def used_in_turn(
        self,
        rows: list[Row],
        row_keys: Iterable[bytes],  # noqa: ARG002
        meant: AbstractSet[bytes],  # noqa: ARG002
    ) -> Iterator[Row]:
        return iter(rows)

    def _pairs(self, row_keys: list[bytes]) -> list[CachedPair]:
        peek = self.entries.peek
        return [(row_key, peek(row_key)) for row_key in row_keys]
