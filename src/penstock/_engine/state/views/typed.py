"""The stores of windows, sessions and versions that a processor sees: types over bytes.

Values are kept as bytes, so what a user mutates is never the store's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.state.cache.entries import RecordInHand
from penstock._engine.state.codec import Codec, wrong_type
from penstock._engine.state.segments.versioned import EndedVersion, Version, VersionedRows
from penstock._engine.state.segments.window_rows import WindowRow, WindowRows
from penstock._engine.state.views.session import SessionRow, SessionRows
from penstock.record import HeaderPairs
from penstock.stores import StoreIterator, VersionedRecord
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME

_BEFORE_ALL_TIME = -(2**63)


class _Typed(ExplainsCamelCase):
    """Encodes the keys and values of a store."""

    def __init__(self, name: str, codec: Codec) -> None:
        self._name = name
        self._codec = codec

    @property
    def name(self) -> str:
        return self._name

    def _raw_key(self, key: Any) -> bytes:
        if key is None:
            msg = f"state store {self._name!r} takes no null keys"
            raise ValueError(msg)
        try:
            return self._codec.encode_key(key)
        except TypeError as error:
            raise wrong_type(self._name, "key", key, error) from error

    def _raw_bounds(self, key_from: Any, key_to: Any) -> tuple[bytes | None, bytes | None]:
        return (
            None if key_from is None else self._raw_key(key_from),
            None if key_to is None else self._raw_key(key_to),
        )

    def _check_time(self, time: int, what: str) -> None:
        if time < 0:
            msg = f"state store {self._name!r}: a {what} must not be negative; got {time}"
            raise ValueError(msg)

    def _raw_value(self, value: Any) -> bytes | None:
        try:
            return None if value is None else self._codec.encode_value(value)
        except TypeError as error:
            raise wrong_type(self._name, "value", value, error) from error


class TypedWindowStore(_Typed):
    """The WindowStore a processor sees; with a codec of ValueAndTimestamp, the
    TimestampedWindowStore.
    """

    _spoken_name = "WindowStore"

    def __init__(
        self,
        name: str,
        codec: Codec,
        rows: WindowRows,
        position: RecordInHand,
        *,
        keeps_headers: bool = False,
    ) -> None:
        super().__init__(name, codec)
        self._rows = rows
        self._position = position
        self._keeps_headers = keeps_headers
        self._fetch_range = rows.fetch_range

    def put(self, key: Any, value: Any, window_start: int) -> None:
        raw_key, row = self._raw_key(key), self._raw_value(value)
        self._check_time(window_start, "window's start")
        headers = self._position.headers if self._keeps_headers else ()
        self._rows.put(raw_key, window_start, row, self._position.timestamp, headers)

    def fetch(self, key: Any, time_from: int, time_to: int | None = None, /) -> Any:
        raw_key = self._raw_key(key)
        if time_to is not None:
            return self._starts(self._rows.fetch(raw_key, time_from, time_to))
        row = self._rows.get(raw_key, time_from)
        return None if row is None else self._codec.decode_value(row)

    def backward_fetch(
        self, key: Any, time_from: int, time_to: int
    ) -> StoreIterator[tuple[int, Any]]:
        return self._starts(self._rows.backward_fetch(self._raw_key(key), time_from, time_to))

    def fetch_range(
        self, key_from: Any, key_to: Any, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        bounds = self._raw_bounds(key_from, key_to)
        return self._windows(self._fetch_range(*bounds, time_from, time_to, reverse=False))

    def backward_fetch_range(
        self, key_from: Any, key_to: Any, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        bounds = self._raw_bounds(key_from, key_to)
        return self._windows(self._fetch_range(*bounds, time_from, time_to, reverse=True))

    def fetch_all(self, time_from: int, time_to: int) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self._windows(self._fetch_range(None, None, time_from, time_to, reverse=False))

    def backward_fetch_all(
        self, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self._windows(self._fetch_range(None, None, time_from, time_to, reverse=True))

    def all(self) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self.fetch_all(_BEFORE_ALL_TIME, END_OF_TIME)

    def backward_all(self) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self.backward_fetch_all(_BEFORE_ALL_TIME, END_OF_TIME)

    def _starts(self, rows: Iterable[tuple[int, bytes]]) -> StoreIterator[tuple[int, Any]]:
        decode = self._codec.decode_value
        return StoreIterator((start, decode(row)) for start, row in rows)

    def _windows(self, rows: Iterable[WindowRow]) -> StoreIterator[tuple[Windowed[Any], Any]]:
        decode_key, decode_value = self._codec.decode_key, self._codec.decode_value
        end_of = self._rows.end_of
        return StoreIterator(
            (Windowed(decode_key(raw_key), start, end_of(start)), decode_value(row))
            for raw_key, start, row in rows
        )


class TypedSessionStore(_Typed):
    """The SessionStore a processor sees."""

    _spoken_name = "SessionStore"

    def __init__(
        self,
        name: str,
        codec: Codec,
        rows: SessionRows,
        position: RecordInHand,
        *,
        keeps_headers: bool = False,
    ) -> None:
        super().__init__(name, codec)
        self._rows = rows
        self._position = position
        self._keeps_headers = keeps_headers

    def put(self, session: Windowed[Any], value: Any) -> None:
        place, row = self._place(session), self._raw_value(value)
        self._rows.put(place, row, self._position.timestamp, self._headers())

    def remove(self, session: Windowed[Any]) -> None:
        self._rows.remove(*self._place(session), self._position.timestamp, self._headers())

    def _headers(self) -> HeaderPairs:
        return self._position.headers if self._keeps_headers else ()

    def fetch_session(self, key: Any, start: int, end: int) -> Any:
        row = self._rows.get(self._raw_key(key), start, end)
        return None if row is None else self._codec.decode_value(row)

    def find_sessions(
        self, key: Any, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self._of_key(key, earliest_end, latest_start, reverse=False)

    def backward_find_sessions(
        self, key: Any, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self._of_key(key, earliest_end, latest_start, reverse=True)

    def find_sessions_range(
        self, key_from: Any, key_to: Any, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        bounds = self._raw_bounds(key_from, key_to)
        found = self._rows.find_range(*bounds, earliest_end, latest_start, reverse=False)
        return self._sessions(found)

    def backward_find_sessions_range(
        self, key_from: Any, key_to: Any, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        bounds = self._raw_bounds(key_from, key_to)
        found = self._rows.find_range(*bounds, earliest_end, latest_start, reverse=True)
        return self._sessions(found)

    def find_sessions_ending(
        self, earliest_end: int, latest_end: int
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self._sessions(self._rows.find_ending(earliest_end, latest_end))

    def fetch(self, key: Any) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self.find_sessions(key, 0, END_OF_TIME)

    def backward_fetch(self, key: Any) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self.backward_find_sessions(key, 0, END_OF_TIME)

    def fetch_range(self, key_from: Any, key_to: Any) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self.find_sessions_range(key_from, key_to, 0, END_OF_TIME)

    def backward_fetch_range(
        self, key_from: Any, key_to: Any
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        return self.backward_find_sessions_range(key_from, key_to, 0, END_OF_TIME)

    def _place(self, session: Windowed[Any]) -> tuple[bytes, int, int]:
        key, start, end = session
        self._check_time(start, "session's start")
        if end < start:
            msg = (
                f"state store {self._name!r} takes sessions that end where they start or later; "
                f"got {session!r}"
            )
            raise ValueError(msg)
        return self._raw_key(key), start, end

    def _of_key(
        self, key: Any, earliest_end: int, latest_start: int, *, reverse: bool
    ) -> StoreIterator[tuple[Windowed[Any], Any]]:
        raw_key = self._raw_key(key)
        found = self._rows.find(raw_key, earliest_end, latest_start, reverse=reverse)
        return self._sessions((raw_key, *session) for session in found)

    def _sessions(self, rows: Iterable[SessionRow]) -> StoreIterator[tuple[Windowed[Any], Any]]:
        decode_key, decode_value = self._codec.decode_key, self._codec.decode_value
        return StoreIterator(
            (Windowed(decode_key(raw_key), start, end), decode_value(row))
            for raw_key, start, end, row in rows
        )


class TypedVersionedStore(_Typed):
    """The VersionedKeyValueStore a processor sees."""

    _spoken_name = "VersionedKeyValueStore"

    def __init__(self, name: str, codec: Codec, rows: VersionedRows) -> None:
        super().__init__(name, codec)
        self._rows = rows

    def put(self, key: Any, value: Any, timestamp: int) -> int:
        self._check_time(timestamp, "version's timestamp")
        return self._rows.put(self._raw_key(key), self._raw_value(value), timestamp)

    def delete(self, key: Any, timestamp: int) -> VersionedRecord[Any] | None:
        self._check_time(timestamp, "version's timestamp")
        return self._record(self._rows.delete(self._raw_key(key), timestamp))

    def get(self, key: Any, as_of: int | None = None, time_to: int | None = None) -> Any:
        raw_key = self._raw_key(key)
        if as_of is None:
            if time_to is not None:
                msg = "the versions up to a time need a first time, too: get(key, from, to)"
                raise TypeError(msg)
            return self._record(self._rows.get(raw_key))
        if time_to is None:
            return self._record(self._rows.get_as_of(raw_key, as_of))
        versions = self._rows.versions_of(raw_key, as_of, time_to)
        return StoreIterator(map(self._ended_record, versions))

    def _record(self, version: Version | None) -> VersionedRecord[Any] | None:
        if version is None:
            return None
        return VersionedRecord(self._codec.decode_value(version[0]), version[1])

    def _ended_record(self, version: EndedVersion) -> VersionedRecord[Any]:
        value, since, until = version
        return VersionedRecord(self._codec.decode_value(value), since, until)


def ended_version(store: TypedVersionedStore, key: Any, as_of: int) -> VersionedRecord[Any] | None:
    """Return what `get` returns, and until when it was valid: as in Java, only queries show it."""
    version = store._rows.find_as_of(store._raw_key(key), as_of)
    return None if version is None else store._ended_record(version)


def scan_windows(
    store: TypedWindowStore, keys: tuple[Any, Any], times: tuple[int, int], *, reverse: bool
) -> Iterator[tuple[Windowed[Any], Any] | None]:
    """Return what `fetch_range` returns, with marks (`marking.py`)."""
    decode_key, decode_value = store._codec.decode_key, store._codec.decode_value
    end_of = store._rows.end_of
    rows = store._rows.scan_range(*store._raw_bounds(*keys), *times, reverse=reverse)
    return (
        row and (Windowed(decode_key(row[0]), row[1], end_of(row[1])), decode_value(row[2]))
        for row in rows
    )


def scan_sessions(
    store: TypedSessionStore, keys: tuple[Any, Any], times: tuple[int, int], *, reverse: bool
) -> Iterator[tuple[Windowed[Any], Any] | None]:
    """Return what `find_sessions_range` returns, with marks (`marking.py`)."""
    decode_key, decode_value = store._codec.decode_key, store._codec.decode_value
    rows = store._rows.scan_range(*store._raw_bounds(*keys), *times, reverse=reverse)
    return (
        row and (Windowed(decode_key(row[0]), row[1], row[2]), decode_value(row[3])) for row in rows
    )
