"""The rows of a window store, by key and start. Java: RocksDBWindowStore, InMemoryWindowStore,
CachingWindowStore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import chain
from struct import Struct
from typing import Final, TypeAlias

from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.logged import RecordStore
from penstock._engine.state.marking import marking, marking_sorted
from penstock._engine.state.merging import merged
from penstock._engine.state.segments.recent_rows import Row, lay_over
from penstock._engine.state.segments.row_cache import CachedRows, QuietRows
from penstock._engine.state.segments.rows import (
    SEGMENT_BYTES,
    RowPlace,
    Rows,
    is_within,
    of_key,
    pack_segment,
    time_at,
    time_first,
    time_of_index,
)
from penstock.record import HeaderPairs
from penstock.stores import StoreBuilder
from penstock.windows import END_OF_TIME

WindowRow: TypeAlias = tuple[bytes, int, bytes]
"""(raw key, start, row)"""
StartedRow: TypeAlias = tuple[int, bytes]
"""(start, row)"""

TAIL_BYTES: Final = 12
_SEQUENCE_BYTES = 4
_SEQUENCE_LIMIT = 0x7FFFFFFF

# More starts than are in use at a time.
_STARTS_MAX = 1_000

_pack_tail = Struct(">qi").pack


class _AroundKey(dict[int, tuple[bytes, bytes]]):
    """The bytes before and behind the key in the row keys of a start; many keys share them."""

    def __init__(self, interval: int) -> None:
        self._interval = interval

    def __missing__(self, start: int) -> tuple[bytes, bytes]:
        if len(self) >= _STARTS_MAX:
            self.clear()
        parts = self[start] = (pack_segment(start // self._interval), _pack_tail(start, 0))
        return parts


class WindowRows:
    """Rows by key and start, with the cache over them if there is one."""

    __slots__ = (
        "_by_time",
        "_is_indexed",
        "_last_sequence",
        "around_key",
        "cache",
        "get",
        "in_memory",
        "peek_row",
        "put",
        "rows",
        "store",
        "window_size_ms",
    )

    def __init__(self, builder: StoreBuilder, place: RowPlace) -> None:
        times = builder.times
        assert times is not None
        self.in_memory = builder.engine == "in_memory"
        self.window_size_ms = times.window_size_ms
        self._is_indexed = times.order != "key"
        self._by_time = self.in_memory or times.order == "time"
        self._last_sequence = 0
        self.rows = Rows(
            place,
            builder,
            _SEQUENCE_BYTES,
            _index_key if self._is_indexed else None,
            # Java: with results on close, the last window may end just when it is too old.
            sees_oldest=self._is_indexed and not self.in_memory,
        )
        is_cached = builder.cached and place.budget.limit_bytes > 0
        # Java's row keys in the order of time begin with a byte that says so.
        key_bytes = 1 if self._is_indexed and not self.in_memory else 0
        self.cache = (
            CachedRows(self.rows, place, TAIL_BYTES, key_bytes=key_bytes) if is_cached else None
        )
        self.store: RecordStore = self.cache or self.rows
        retains = times.retain_duplicates
        self.around_key = _AroundKey(self.rows.interval)
        """`(before, behind) = around_key[start]`: the bytes around the key in a row key."""
        self.get = self._get_last if retains else self._get
        """`get(raw_key, start)` returns a row, None if there is none."""
        self.peek_row = self.rows.get if self.cache is None else self.cache.peek
        """`peek_row(row_key)` returns a row to a reader that is about to put it."""
        self.put = self._add if retains else _putter(self.store, self.around_key)
        """`put(raw_key, start, row, timestamp, headers)` puts a row, or deletes it (None)."""

    def for_queries(self) -> WindowRows:
        """Return the same rows for queries: to read them is no use of those that are cached."""
        if self.cache is None:
            return self
        quiet = copy(self)
        quiet.cache = quiet.store = QuietRows(self.cache)
        quiet.get = quiet._get  # a store with a cache retains no duplicates
        return quiet

    def fetch(
        self, raw_key: bytes, time_from: int, time_to: int, *, as_range: bool = False
    ) -> Iterable[StartedRow]:
        """Return the starts and rows of a key between two times, the earliest first; a list if the
        store has no cache. With `as_range`, Java reads a range of keys that holds only this one.
        """
        if self.cache is None:
            return _started(of_key(self.rows, raw_key, time_from, time_to), raw_key)
        return self._fetch_cached(raw_key, time_from, time_to, reverse=False, as_range=as_range)

    def backward_fetch(
        self, raw_key: bytes, time_from: int, time_to: int, *, as_range: bool = False
    ) -> Iterator[StartedRow]:
        """Yield what `fetch` returns, the latest first."""
        if self.cache is None:
            found = of_key(self.rows, raw_key, time_from, time_to)
            return iter(_started(reversed(found), raw_key))
        return self._fetch_cached(raw_key, time_from, time_to, reverse=True, as_range=as_range)

    def fetch_range(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
        lazily: bool = False,
    ) -> Iterator[WindowRow]:
        """Return the rows of several keys between two times, None for no bound, as they are now:
        puts that come while they are iterated change nothing. A reader beside whom nothing is put
        may read `lazily`, without holding all rows of an indexed store in memory.
        """
        if key_from is not None and key_to is not None and key_from > key_to:
            return iter(())
        if self._is_indexed and key_from is None and key_to is None:
            rows = self._of_index(time_from, time_to, reverse=reverse)
            # A list: the rows are looked up one by one, which would find later puts.
            return _under_index_keys(rows if lazily else list(rows))
        rows = self._by_segment(key_from, key_to, time_from, time_to, reverse=reverse)
        if self._by_time:
            rows = iter(sorted(rows, key=_order_in_time, reverse=reverse))
        return _under_row_keys(rows)

    def scan_range(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Iterator[WindowRow | None]:
        """Return what `fetch_range` returns lazily, with marks (`marking.py`)."""
        if key_from is not None and key_to is not None and key_from > key_to:
            return iter(())
        if self._is_indexed and key_from is None and key_to is None:
            return _under_index_keys(self._of_index(time_from, time_to, reverse=reverse))

        def fits(row: Row) -> bool:
            return time_from <= _start_of(row[0]) <= time_to and is_within(
                row[0][SEGMENT_BYTES:-TAIL_BYTES], key_from, key_to
            )

        found = self._in_segments(key_from, key_to, time_from, time_to, reverse=reverse)
        fitting = marking(found, fits)
        in_time = marking_sorted(fitting, _order_in_time, reverse=reverse)
        rows = in_time if self._by_time else fitting
        return (
            row and (row[0][SEGMENT_BYTES:-TAIL_BYTES], _start_of(row[0]), row[1]) for row in rows
        )

    def fetch_kept(self, time_from: int, time_to: int) -> Iterator[WindowRow]:
        """Yield the rows of all keys between two times, expired ones too that are still stored;
        only where there is an index by time.
        """
        return _under_index_keys(self._of_index(time_from, time_to, reverse=False, unseen=True))

    def kept_from(self, observed: int) -> int:
        """Return the first start that `fetch_kept` finds once `observed` is the latest that was
        put.
        """
        clock = self.rows.clock
        if self.cache is not None and self.in_memory:
            # Rows that have expired when they are flushed are not put.
            return clock.seen_from(observed)
        return clock.kept_from(observed)

    def end_of(self, start: int) -> int:
        """Return the end of the window that begins at `start`."""
        end = start + self.window_size_ms
        return end if end < END_OF_TIME else END_OF_TIME

    def _get(self, raw_key: bytes, start: int) -> bytes | None:
        before, behind = self.around_key[start]
        return self.store.get(before + raw_key + behind)

    def _get_last(self, raw_key: bytes, start: int) -> bytes | None:
        """Return the last duplicate that is stored on disk; as in Java, none that is stored in
        memory.
        """
        if self.in_memory:
            return None
        segment = pack_segment(start // self.rows.interval)
        return self.rows.get(segment + raw_key + _pack_tail(start, self._last_sequence))

    def _add(
        self, raw_key: bytes, start: int, row: bytes | None, timestamp: int, headers: HeaderPairs
    ) -> None:
        """Add a row, with a sequence number of its own."""
        rows = self.rows
        sequence = rows.sequence = (rows.sequence + 1) & _SEQUENCE_LIMIT
        tail = _pack_tail(start, sequence)
        if row is not None:
            self._last_sequence = sequence
            segment = pack_segment(start // rows.interval)
            rows.write(segment + raw_key + tail, row, timestamp, headers)
            return
        # A deletion removes no duplicate: it is only written to the changelog. In memory it
        # advances the observed time.
        if self.in_memory:
            rows.touch(start)
        rows.log(raw_key + tail, None, timestamp, headers)

    def _fetch_cached(
        self, raw_key: bytes, time_from: int, time_to: int, *, reverse: bool, as_range: bool = False
    ) -> Iterator[StartedRow]:
        """Return the starts and rows of a key as they are now. The cached ones count as used while
        they are iterated, as in Java: this decides which rows give way to what is put meanwhile.
        """
        assert self.cache is not None
        if time_to < 0:
            return iter(())  # and the bytes of a negative time are behind those of all others
        found = of_key(self.rows, raw_key, time_from, time_to)
        interval, earliest = self.rows.interval, max(time_from, 0)
        first = pack_segment(earliest // interval) + raw_key + pack_timestamp(earliest)
        behind = None
        if time_to < END_OF_TIME:
            behind = pack_segment(time_to // interval) + raw_key + pack_timestamp(time_to + 1)
        meant = self.cache.keys_of(raw_key, first, behind)
        if meant:
            rows, peek = dict(found), self.cache.entries.peek
            lay_over(rows, ((key, peek(key)) for key in meant))
            found = sorted(rows.items())
        if reverse:
            found.reverse()
        passed: Iterable[bytes] | None = None
        if self.in_memory:
            since, until = (0 if as_range else earliest, raw_key), (time_to, raw_key)
            passed = self.cache.passed_in_memory(since, until, reverse=reverse)
        elif reverse:
            passed = chain(reversed(meant), self._passed_before(raw_key, earliest, first))
        if passed is None:
            passed = reversed(meant) if reverse else meant
        at = SEGMENT_BYTES + len(raw_key)
        used = self.cache.used_in_turn(found, passed, set(meant))
        return ((time_at(row_key, at)[0], row) for row_key, row in used)

    def _passed_before(self, raw_key: bytes, time_from: int, first: bytes) -> Iterator[bytes]:
        """Yield the cached row keys that Java comes to behind those that are meant when it reads a
        key on disk backwards: those before `first` that are in its segment, or in the last one if
        that is before it. They are not looked for unless the reader comes so far.
        """
        assert self.cache is not None
        interval = self.rows.interval
        segment = max(min(time_from, self.cache.latest), 0) // interval
        begin = pack_segment(segment) + raw_key + pack_timestamp(segment * interval)
        yield from reversed(self.cache.keys_of(raw_key, begin, first))

    def _by_segment(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Iterator[Row]:
        """Return rows segment by segment, in each of them by key and start."""
        found = self._in_segments(key_from, key_to, time_from, time_to, reverse=reverse)
        return (
            (row_key, row)
            for row_key, row in found
            if time_from <= _start_of(row_key) <= time_to
            and is_within(row_key[SEGMENT_BYTES:-TAIL_BYTES], key_from, key_to)
        )

    def _in_segments(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Iterator[Row]:
        """Return what `_by_segment` returns, and other rows of the same segments."""
        rows = self.rows
        found = rows.scan_keys(key_from, key_to, (time_from, time_to), reverse=reverse)
        if self.cache is not None:
            # As in Java, all cached rows, or those of these keys and segments, count as used.
            segments = range(max(time_from, 0) // rows.interval, time_to // rows.interval + 1)
            found = self.cache.merged_with(
                found, _in_bounds(key_from, key_to, segments), reverse=reverse
            )
        return found

    def _of_index(
        self, time_from: int, time_to: int, *, reverse: bool, unseen: bool = False
    ) -> Iterator[Row]:
        """Yield rows by start, then key, under their index keys."""
        stored = self._indexed(time_from, time_to, reverse=reverse, unseen=unseen)
        if self.cache is None:
            return stored
        cached = self.cache.cached(
            lambda row_key: time_from <= _start_of(row_key) <= time_to,
            reverse=reverse,
            by=_index_key,
        )
        by_time = [(_index_key(row_key), row) for row_key, row in cached]
        return merged(by_time, stored, reverse=reverse)

    def _indexed(
        self, time_from: int, time_to: int, *, reverse: bool, unseen: bool
    ) -> Iterator[Row]:
        clock, interval = self.rows.clock, self.rows.interval
        earliest = clock.live * interval if unseen else clock.expired + 1
        first, last = max(time_from, earliest, 0), min(time_to, clock.observed)
        if first > last:
            return
        read = self.rows.get_if_live if unseen else self.rows.get
        for index_key in self.rows.scan_by_time(first, last, reverse=reverse):
            start = time_of_index(index_key)
            tail = pack_timestamp(start) + index_key[-_SEQUENCE_BYTES:]
            row = read(pack_segment(start // interval) + index_key[8:-_SEQUENCE_BYTES] + tail)
            if row is not None:
                yield index_key, row


def _started(rows: Iterable[Row], raw_key: bytes) -> list[StartedRow]:
    at = SEGMENT_BYTES + len(raw_key)
    return [(time_at(row_key, at)[0], row) for row_key, row in rows]


def _under_index_keys(rows: Iterable[Row]) -> Iterator[WindowRow]:
    for index_key, row in rows:
        yield index_key[8:-_SEQUENCE_BYTES], time_of_index(index_key), row


def _under_row_keys(rows: Iterable[Row]) -> Iterator[WindowRow]:
    for row_key, row in rows:
        yield row_key[SEGMENT_BYTES:-TAIL_BYTES], _start_of(row_key), row


def _putter(
    store: RecordStore, around_key: _AroundKey
) -> Callable[[bytes, int, bytes | None, int, HeaderPairs], None]:
    write = store.write

    def put(
        raw_key: bytes, start: int, row: bytes | None, timestamp: int, headers: HeaderPairs
    ) -> None:
        before, behind = around_key[start]
        write(before + raw_key + behind, row, timestamp, headers)

    return put


def _in_bounds(
    key_from: bytes | None, key_to: bytes | None, segments: range
) -> Callable[[bytes], bool]:
    """Return the predicate for the row keys in a range of keys and segments."""
    if key_from is None and key_to is None:
        return lambda row_key: True
    first, last = pack_segment(segments.start), pack_segment(segments.stop)
    return lambda row_key: (
        first <= row_key < last and is_within(row_key[SEGMENT_BYTES:-TAIL_BYTES], key_from, key_to)
    )


def _start_of(row_key: bytes) -> int:
    return time_at(row_key, len(row_key) - TAIL_BYTES)[0]


def _order_in_time(row: Row) -> bytes:
    return _index_key(row[0])


def _index_key(row_key: bytes) -> bytes:
    """Return the key of a row in the order of starts, then keys."""
    start = time_first(_start_of(row_key))
    return start + row_key[SEGMENT_BYTES:-TAIL_BYTES] + row_key[-_SEQUENCE_BYTES:]
