"""A `Read` of one store of one task, as rows.

The store is given as processors see it, with bytes for keys and values (`TaskStore.reader`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from penstock._engine.queries.questions import Read, ReadKind, Row
from penstock._engine.state.marking import marking
from penstock._engine.state.views.key_value import TypedKeyValueStore
from penstock._engine.state.views.typed import (
    TypedSessionStore,
    TypedVersionedStore,
    TypedWindowStore,
    ended_version,
    scan_sessions,
    scan_windows,
)
from penstock.stores import ValueAndTimestamp
from penstock.windowed import Windowed


def rows_of(store: Any, read: Read) -> Iterator[Row | None]:
    """Return the rows of a read, with marks where many do not belong to it (`marking.py`).

    Raises:
        LookupError: a store of this kind cannot be read so.
    """
    reader = _reader_of(type(store), read.kind)
    if reader is None:
        name = getattr(type(store), "_spoken_name", type(store).__name__)
        msg = f"store {store.name!r} is a {name}: it has no {read.kind!r}"
        raise LookupError(msg)
    return reader(store, read)


def _reader_of(store: type, kind: ReadKind) -> _Reader | None:
    """Return what reads a store of this type; None if it cannot be read so."""
    known = _known_readers.get(store)
    if known is None:
        found = (readers for one, readers in _READERS.items() if issubclass(store, one))
        known = _known_readers[store] = next(found, {})
    return known.get(kind)


def _get(store: TypedKeyValueStore, read: Read) -> Iterator[Row | None]:
    for found in marking(((key, store.get(key)) for key in read.keys), _has_value):
        yield found and _row(*found)


def _has_value(found: tuple[bytes, Any]) -> bool:
    return found[1] is not None


def _range(store: TypedKeyValueStore, read: Read) -> Iterator[Row]:
    scan = store.reverse_range if read.reverse else store.range
    rows = _pairs(scan(read.key_from, read.key_to))
    if not read.begins_behind:
        return rows
    begin = read.key_to if read.reverse else read.key_from
    return (row for row in rows if row[0] != begin)


def _prefix(store: TypedKeyValueStore, read: Read) -> Iterator[Row]:
    return _pairs(store.prefix_scan(read.keys[0]))


def _count(store: TypedKeyValueStore, _read: Read) -> Iterator[Row]:
    yield b"", store.approximate_num_entries().to_bytes(8), None, None, None


def _window(store: TypedWindowStore, read: Read) -> Iterator[Row]:
    for key in read.keys:
        value = store.fetch(key, read.time_from)
        if value is not None:
            yield _row(key, value, read.time_from)


def _windows(store: TypedWindowStore, read: Read) -> Iterator[Row]:
    fetch = store.backward_fetch if read.reverse else store.fetch
    for key in read.keys:
        for start, value in fetch(key, read.time_from, read.time_to):
            yield _row(key, value, start)


def _window_range(store: TypedWindowStore, read: Read) -> Iterator[Row | None]:
    keys, times = (read.key_from, read.key_to), (read.time_from, read.time_to)
    return _windowed(scan_windows(store, keys, times, reverse=read.reverse))


def _session(store: TypedSessionStore, read: Read) -> Iterator[Row]:
    for key in read.keys:
        value = store.fetch_session(key, read.time_from, read.time_to)
        if value is not None:
            yield _row(key, value, read.time_from, read.time_to)


def _sessions(store: TypedSessionStore, read: Read) -> Iterator[Row | None]:
    find = store.backward_find_sessions if read.reverse else store.find_sessions
    for key in read.keys:
        yield from _windowed(find(key, read.time_from, read.time_to))


def _session_range(store: TypedSessionStore, read: Read) -> Iterator[Row | None]:
    keys, times = (read.key_from, read.key_to), (read.time_from, read.time_to)
    return _windowed(scan_sessions(store, keys, times, reverse=read.reverse))


def _version(store: TypedVersionedStore, read: Read) -> Iterator[Row]:
    for key in read.keys:
        record = ended_version(store, key, read.time_to) if read.reverse else store.get(key)
        if record is not None:
            yield key, record.value, record.timestamp, record.timestamp, record.valid_to


def _versions(store: TypedVersionedStore, read: Read) -> Iterator[Row]:
    for key in read.keys:
        found = list(store.get(key, read.time_from, read.time_to))
        for value, since, until in found if read.reverse else reversed(found):
            yield key, value, since, since, until


def _pairs(entries: Iterable[tuple[bytes, Any]]) -> Iterator[Row]:
    for key, value in entries:
        yield _row(key, value)


def _windowed(entries: Iterable[tuple[Windowed[bytes], Any] | None]) -> Iterator[Row | None]:
    for entry in entries:
        if entry is None:
            yield None
        else:
            (key, start, end), value = entry
            yield _row(key, value, start, end)


def page_of(rows: Iterator[Row], rows_max: int, room: int) -> tuple[Row, ...]:
    """Return the next rows, at most `rows_max`, until they fill the room of so many bytes; none if
    there is no room.
    """
    page: list[Row] = []
    size = 0
    for row in islice(rows, rows_max if room else 0):
        page.append(row)
        size += len(row[0]) + len(row[1])
        if size >= room:
            break
    return tuple(page)


def part_of(
    rows: Iterator[Row | None], most: tuple[int, int, int], is_over: Callable[[], bool]
) -> tuple[tuple[Row, ...], bool]:
    """Return a page as `page_of` does, and whether more may follow. `most` are rows, bytes and
    marks: it also ends with the last of so many marks, and with any mark when it `is_over`.
    """
    rows_max, room, marks_max = most
    marks = 0
    stopped = False

    def until_marked() -> Iterator[Row]:
        nonlocal marks, stopped
        for row in rows:
            if row is not None:
                yield row
                continue
            marks += 1
            if marks >= marks_max or is_over():
                stopped = True
                return

    page = page_of(until_marked(), rows_max, room)
    return page, stopped or is_full(page, rows_max, room)


def is_full(page: tuple[Row, ...], rows_max: int, room: int) -> bool:
    """Return whether a page holds as much as it may, so that more rows may follow."""
    return len(page) >= rows_max or bytes_of(page) >= room


def bytes_of(rows: Iterable[Row]) -> int:
    """Return how many bytes the keys and values of rows have."""
    return sum(len(row[0]) + len(row[1]) for row in rows)


def _row(key: bytes, value: Any, start: int | None = None, end: int | None = None) -> Row:
    if isinstance(value, ValueAndTimestamp):
        return key, value.value, value.timestamp, start, end
    return key, value, None, start, end


_Reader = Callable[[Any, Read], Iterator[Row | None]]

_READERS: dict[type, dict[ReadKind, _Reader]] = {
    TypedKeyValueStore: {"get": _get, "range": _range, "prefix": _prefix, "count": _count},
    TypedWindowStore: {"window": _window, "windows": _windows, "window_range": _window_range},
    TypedSessionStore: {
        "session": _session,
        "sessions": _sessions,
        "session_range": _session_range,
    },
    TypedVersionedStore: {"version": _version, "versions": _versions},
}

_known_readers: dict[type, dict[ReadKind, _Reader]] = {}
"""Of the types of stores that were read before."""
