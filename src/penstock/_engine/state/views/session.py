"""The store of session aggregates as its operator sees it: bytes are decoded as late as possible,
as in `table.py`. A *row* is a stored value without a timestamp: a session's is its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from itertools import groupby
from struct import Struct
from typing import Any, TypeAlias

from penstock._engine.state.cache.entries import CachedPair
from penstock._engine.state.codec import Codec, CodedState, wrong_type
from penstock._engine.state.logged import RecordStore
from penstock._engine.state.marking import marking, marking_sorted
from penstock._engine.state.segments.recent_rows import Row, lay_over
from penstock._engine.state.segments.row_cache import CachedRows, QuietRows
from penstock._engine.state.segments.rows import (
    BEHIND_EVERY_REST,
    SEGMENT_BYTES,
    RowPlace,
    Rows,
    is_within,
    of_key,
    pack_segment,
    time_first,
    time_of_index,
)
from penstock._engine.state.views.table import Forward
from penstock.record import HeaderPairs
from penstock.stores import StoreBuilder
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME

Session: TypeAlias = tuple[int, int, bytes]
"""(start, end, row)"""
SessionRow: TypeAlias = tuple[bytes, int, int, bytes]
"""(raw key, start, end, row)"""

_START_BYTES = 8
_TAIL_BYTES = 16

_TAIL = Struct(">qq")
_pack_tail = _TAIL.pack
_unpack_tail: Callable[[bytes, int], tuple[int, int]] = _TAIL.unpack_from
_NO_START = bytes(_START_BYTES)


class SessionRows:
    """Rows by key, end and start, with the cache over them if there is one. Java:
    RocksDBSessionStore, InMemorySessionStore, CachingSessionStore.
    """

    __slots__ = ("_is_indexed", "_store", "cache", "in_memory", "rows")

    def __init__(self, builder: StoreBuilder, place: RowPlace) -> None:
        assert builder.times is not None
        self.in_memory = builder.engine == "in_memory"
        self._is_indexed = builder.times.order != "key"
        to_index = _index_key if self._is_indexed else None
        self.rows = Rows(place, builder, _START_BYTES, to_index, sees_oldest=False)
        is_cached = builder.cached and place.budget.limit_bytes > 0
        self.cache = CachedRows(self.rows, place, _TAIL_BYTES) if is_cached else None
        self._store: RecordStore = self.cache or self.rows

    def for_queries(self) -> SessionRows:
        """Return the same rows for queries: to read them is no use of those that are cached."""
        if self.cache is None:
            return self
        quiet = copy(self)
        quiet.cache = quiet._store = QuietRows(self.cache)
        return quiet

    def get(self, raw_key: bytes, start: int, end: int) -> bytes | None:
        """Return the row of a session, None if there is none."""
        return self._store.get(self._row_key(raw_key, start, end))

    def put(
        self,
        session: tuple[bytes, int, int],
        row: bytes | None,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        """Put the row of a session, or delete it (None)."""
        self._store.write(self._row_key(*session), row, timestamp, headers)

    def remove(
        self, raw_key: bytes, start: int, end: int, timestamp: int, headers: HeaderPairs
    ) -> None:
        """Delete a session."""
        row_key = self._row_key(raw_key, start, end)
        if self.cache is not None:
            self.cache.write(row_key, None, timestamp, headers)
        else:
            self.rows.remove(row_key, timestamp, headers)

    def find(
        self, raw_key: bytes, earliest_end: int, latest_start: int, *, reverse: bool
    ) -> list[Session]:
        """Return the sessions of a key within these bounds, by their ends."""
        found = of_key(self.rows, raw_key, earliest_end, END_OF_TIME)
        if self.cache is not None:
            # As in Java, all of them count as used, whenever they started.
            earliest = max(earliest_end, 0)
            first = pack_segment(earliest // self.rows.interval) + raw_key + _pack_tail(earliest, 0)
            cached = self._cached(raw_key, earliest, first, reverse=reverse)
            if cached:
                rows = dict(found)
                lay_over(rows, cached)
                found = sorted(rows.items())
        at = SEGMENT_BYTES + len(raw_key)
        sessions = [
            (start, end, row)
            for row_key, row in found
            for end, start in (_unpack_tail(row_key, at),)
            if start <= latest_start
        ]
        if len(sessions) > 1:
            if self.in_memory:
                sessions.sort(key=_in_memory_order)
            if reverse:
                sessions.reverse()
        return sessions

    def _cached(
        self, raw_key: bytes, earliest_end: int, first: bytes, *, reverse: bool
    ) -> list[CachedPair]:
        """Return the cached sessions of a key from a row key on; those that Java passes on the way
        count as used, in memory these are sessions of all keys.
        """
        assert self.cache is not None
        passed = None
        if self.in_memory:
            place, end = (earliest_end, raw_key), (END_OF_TIME, raw_key)
            passed = self.cache.passed_in_memory(place, end, reverse=reverse)
        if passed is None:
            return self.cache.of_key(raw_key, first, None, reverse=reverse)
        meant = set(self.cache.keys_of(raw_key, first, None))
        return [pair for pair in self.cache.entries.used(passed) if pair[0] in meant]

    def find_range(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
    ) -> Iterator[SessionRow]:
        """Return the sessions of several keys, None for no bound, within these bounds of time, as
        they are now: puts that come while they are iterated change nothing.
        """
        if key_from is not None and key_to is not None and key_from > key_to:
            return iter(())
        found = self._by_segment(key_from, key_to, earliest_end, END_OF_TIME, reverse=reverse)
        matching = (session for session in found if session[1] <= latest_start)
        if self.in_memory:
            return iter(sorted(matching, key=_in_memory_order_of_all, reverse=reverse))
        return matching

    def scan_range(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
    ) -> Iterator[SessionRow | None]:
        """Return what `find_range` returns, with marks (`marking.py`)."""
        if key_from is not None and key_to is not None and key_from > key_to:
            return iter(())

        def fits(session: SessionRow) -> bool:
            raw_key, start, end, _ = session
            return (
                earliest_end <= end
                and start <= latest_start
                and is_within(raw_key, key_from, key_to)
            )

        ends = earliest_end, END_OF_TIME
        found = self._in_segments(key_from, key_to, ends, reverse=reverse)
        sessions = marking(found, fits)
        if self.in_memory:
            return marking_sorted(sessions, _in_memory_order_of_all, reverse=reverse)
        return sessions

    def find_ending(self, earliest_end: int, latest_end: int) -> Iterator[SessionRow]:
        """Return the sessions of all keys that end between two times, both included, as they are
        now.
        """
        if self._is_indexed and self.cache is None and not self.in_memory:
            # A list: the rows are looked up one by one, which would find later puts.
            return iter(list(self._of_index(earliest_end, latest_end)))
        found = self._by_segment(None, None, earliest_end, latest_end, reverse=False)
        order = _in_memory_order_of_all if self.in_memory else _time_order
        return iter(sorted(found, key=order))

    def find_kept(self, earliest_end: int, latest_end: int) -> Iterator[SessionRow]:
        """Yield what `find_ending` yields, and expired sessions that are still stored; only of the
        store of an aggregation that emits on close, which has no cache.
        """
        found = self._of_index(earliest_end, latest_end)
        return _as_in_memory(found) if self.in_memory else found

    def _by_segment(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_end: int,
        *,
        reverse: bool,
    ) -> Iterator[SessionRow]:
        """Return sessions segment by segment, in each of them by key and end."""
        found = self._in_segments(key_from, key_to, (earliest_end, latest_end), reverse=reverse)
        return (
            (raw_key, start_time, end_time, row)
            for raw_key, start_time, end_time, row in found
            if earliest_end <= end_time <= latest_end and is_within(raw_key, key_from, key_to)
        )

    def _in_segments(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        ends: tuple[int, int],
        *,
        reverse: bool,
    ) -> Iterator[SessionRow]:
        """Return what `_by_segment` returns, and other sessions of the same segments."""
        found = self.rows.scan_keys(key_from, key_to, ends, reverse=reverse)
        if self.cache is not None:
            # As in Java, which has no segment for a range of keys and all times.
            start = pack_segment(0) + (key_from or b"")
            last = pack_segment(END_OF_TIME // self.rows.interval)
            end = last + (key_to or b"") + BEHIND_EVERY_REST
            found = self.cache.merged_with(
                found, lambda row_key: start <= row_key < end, reverse=reverse
            )
        return map(_taken_apart, found)

    def _of_index(self, earliest_end: int, latest_end: int) -> Iterator[SessionRow]:
        """Yield sessions by end, start and key; as in Java also some that have expired."""
        first, last = max(earliest_end, 0), min(latest_end, self.rows.clock.observed)
        if first > last:
            return
        read = self.rows.get_if_live
        for index_key in self.rows.scan_by_time(first, last, reverse=False):
            end, (start, _) = time_of_index(index_key), _unpack_tail(index_key[8:] + _NO_START, 0)
            raw_key = index_key[_TAIL_BYTES:]
            row = read(self._row_key(raw_key, start, end))
            if row is not None:
                yield raw_key, start, end, row

    def _row_key(self, raw_key: bytes, start: int, end: int) -> bytes:
        return pack_segment(end // self.rows.interval) + raw_key + _pack_tail(end, start)


class SessionState(CodedState[Codec]):
    """Rows of sessions. Attributes that an operator calls for each record are plain functions."""

    __slots__ = (
        "_rows",
        "find_closed",
        "find_kept",
        "forwards_headers",
        "get",
        "kept_from",
        "remove",
    )

    def __init__(
        self, name: str, codec: Codec, rows: SessionRows, *, forwards_headers: bool = True
    ) -> None:
        super().__init__(name, codec)
        self._rows = rows
        self.forwards_headers = forwards_headers
        """Whether what leaves the cache has the headers of the record that wrote it."""
        self.get = rows.get
        """`get(raw_key, start, end)` returns a row, None if there is none."""
        self.remove = rows.remove
        """`remove(raw_key, start, end, timestamp, headers)` deletes a session."""
        self.find_closed = rows.find_ending
        """`find_closed(earliest_end, latest_end)` yields (raw key, start, end, row) of all keys."""
        self.find_kept = rows.find_kept
        """`find_kept(earliest_end, latest_end)` also yields expired sessions that are still stored;
        only of the store of an aggregation that emits on close.
        """
        self.kept_from = rows.rows.clock.kept_from
        """`kept_from(observed)` returns the first end that `find_kept` finds once `observed` is the
        latest that was put.
        """

    def observed_time(self) -> int:
        """Return the latest end that was put, -1 if nothing was."""
        return self._rows.rows.clock.observed

    def find_sessions(self, raw_key: bytes, earliest_end: int, latest_start: int) -> list[Session]:
        """Return (start, end, row) of the sessions of a key that end at `earliest_end` or later and
        start at `latest_start` or earlier, by their ends.
        """
        return self._rows.find(raw_key, earliest_end, latest_start, reverse=False)

    def put(  # noqa: PLR0917  # keywords would cost each record something
        self,
        raw_key: bytes,
        start: int,
        end: int,
        value: Any,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        """Store a session, or delete it (None), on behalf of a record of `timestamp` and
        `headers`.
        """
        try:
            row = None if value is None else self.codec.encode_value(value)
        except TypeError as error:
            raise wrong_type(self._name, "value", value, error) from error
        self._rows.put((raw_key, start, end), row, timestamp, headers)

    def value_of(self, row: bytes | None) -> Any:
        """Return the value of a row, a new one each time."""
        return None if row is None else self.codec.decode_value(row)

    def forwards_at_flush(self, forward: Forward, *, sends_old_values: bool) -> bool:
        """Forward changes when the cache is flushed; False if there is no cache: then the operator
        must forward each change itself.
        """
        cache = self._rows.cache
        if cache is None:
            return False
        decode_key, value_of = self.codec.decode_key, self.value_of
        forwards_headers = self.forwards_headers

        def forward_row(
            row_key: bytes,
            new: bytes | None,
            old: bytes | None,
            timestamp: int,  # noqa: ARG001  # a session's time is its end
            headers: HeaderPairs,
        ) -> None:
            end, start = _unpack_tail(row_key, len(row_key) - _TAIL_BYTES)
            key = Windowed(decode_key(row_key[SEGMENT_BYTES:-_TAIL_BYTES]), start, end)
            change = value_of(new), value_of(old)
            forward(key, change, end, headers if forwards_headers else ())

        cache.listen(forward_row, sends_old_values=sends_old_values)
        return True


def _taken_apart(entry: Row) -> SessionRow:
    row_key, row = entry
    end, start = _unpack_tail(row_key, len(row_key) - _TAIL_BYTES)
    return row_key[SEGMENT_BYTES:-_TAIL_BYTES], start, end, row


def _end_of(row_key: bytes) -> int:
    return _unpack_tail(row_key, len(row_key) - _TAIL_BYTES)[0]


def _index_key(row_key: bytes) -> bytes:
    """Return the key of a row in the order of ends, then starts, then keys."""
    return (
        time_first(_end_of(row_key)) + row_key[-_START_BYTES:] + row_key[SEGMENT_BYTES:-_TAIL_BYTES]
    )


def _in_memory_order(session: Session) -> tuple[int, int]:
    """Order sessions of one end as Java's store in memory does: the latest start first."""
    start, end, _ = session
    return end, -start


def _as_in_memory(sessions: Iterator[SessionRow]) -> Iterator[SessionRow]:
    """Yield sessions, given by their ends, in Java's order in memory."""
    for _, of_one_end in groupby(sessions, key=_end_of_session):
        yield from sorted(of_one_end, key=_in_memory_order_of_all)


def _end_of_session(session: SessionRow) -> int:
    return session[2]


def _in_memory_order_of_all(session: SessionRow) -> tuple[int, bytes, int]:
    raw_key, start, end, _ = session
    return end, raw_key, -start


def _time_order(session: SessionRow) -> tuple[int, int, bytes]:
    raw_key, start, end, _ = session
    return end, start, raw_key
