"""A key-value store that keeps old versions of each key's value. Java: RocksDBVersionedStore.

```
newest:    0x80 | key        since when | value         never a deletion
history:   segment | key     the versions that were replaced in that stretch of time, newest first
clock:     0xff "clock"      the store's stream time
```

A version lies in the segment of the time at which it was replaced, so that a segment too old holds
nothing that was valid within the history. A deletion is the end of the version before it; if there
is none in its segment, it lies there as a version of no length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from struct import Struct
from typing import Any, TypeAlias

from penstock._engine.state.codec import (
    TIMESTAMP_BYTES,
    Codec,
    CodedState,
    pack_timestamp,
    timestamp_of,
    wrong_type,
)
from penstock._engine.state.contract import KeyRange
from penstock._engine.state.logged import Log
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.segments.rows import CLOCK_KEY
from penstock.record import HeaderPairs
from penstock.stores import NEWEST, NOT_PUT
from penstock.stores._builders import StoreTimes

Version: TypeAlias = tuple[bytes, int]
"""(value, since when)"""
EndedVersion: TypeAlias = tuple[bytes, int, int | None]
"""(value, since when, until when; None: still valid)"""

_LATEST = b"\x80"
_BEHIND_LATEST = b"\x81"
_HEAD = Struct(">qqi")
_ITEM = Struct(">qi")
_NO_TIME = -1
_DELETED = -1


class VersionedRows:
    """The versions of all keys, as bytes; `drop` is called for each put that is too old."""

    __slots__ = (
        "_dropped_to",
        "_interval",
        "_live",
        "_log",
        "_observed",
        "_overlay",
        "_retention",
        "_saved",
        "_tell_dropped",
    )

    def __init__(
        self, overlay: Overlay, times: StoreTimes, log: Log | None, drop: Callable[[], None]
    ) -> None:
        self._overlay = overlay
        self._log = log
        self._tell_dropped = drop
        self._interval = times.segment_interval_ms
        self._retention = times.retention_ms
        self._live = self._dropped_to = 0
        self._observed = _NO_TIME
        self._saved = overlay.get(CLOCK_KEY)
        if self._saved is not None:
            self._observe(timestamp_of(self._saved))
            self._dropped_to = self._live

    @property
    def history_retention_ms(self) -> int:
        return self._retention

    def put(self, key: bytes, value: bytes | None, timestamp: int) -> int:
        """Set the value that a key has from `timestamp` on, or delete it (None). Return until when
        it is valid, NEWEST or NOT_PUT.
        """
        if timestamp < self._observed - self._retention:
            self._tell_dropped()
            valid_to = NOT_PUT
        else:
            self._observe(timestamp)
            valid_to = self._put(key, value, timestamp)
        if self._log is not None:
            self._log(key, value, timestamp, ())
        return valid_to

    def delete(self, key: bytes, timestamp: int) -> Version | None:
        """Delete a key from `timestamp` on. Return its version of that time."""
        before = None
        if timestamp < self._observed - self._retention:
            self._tell_dropped()
        else:
            before = self.get_as_of(key, timestamp)
            self._observe(timestamp)
            self._put(key, None, timestamp)
        if self._log is not None:
            self._log(key, None, timestamp, ())
        return before

    def get(self, key: bytes) -> Version | None:
        """Return the newest version, None if there is none or it is deleted."""
        row = self._overlay.get(_LATEST + key)
        return None if row is None else (row[TIMESTAMP_BYTES:], timestamp_of(row))

    def get_as_of(self, key: bytes, as_of: int) -> Version | None:
        """Return the version of a time, None if there was none; the newest is never too old."""
        found = self.find_as_of(key, as_of)
        return None if found is None else found[:2]

    def find_as_of(self, key: bytes, as_of: int) -> EndedVersion | None:
        """Return what `get_as_of` returns, and until when it was valid."""
        latest = self.get(key)
        if latest is not None and latest[1] <= as_of:
            return (*latest, None)
        if as_of < self._observed - self._retention:
            return None
        for segment in self._segments_from(as_of):
            history = self._history(segment, key)
            if history is None or history.first > as_of:
                continue
            return None if history.end <= as_of else history.version_at(as_of)
        return None

    def versions_of(self, key: bytes, time_from: int, time_to: int) -> list[EndedVersion]:
        """Return value, since when and until when of the versions of a key that were valid at some
        time between two times, both included, newest first. Java: MultiVersionedKeyQuery.
        """
        found: list[EndedVersion] = []
        latest = self.get(key)
        if latest is not None and latest[1] <= time_to:
            found.append((*latest, None))
        oldest = max(time_from, self._observed - self._retention)
        for segment in self._segments_from(max(oldest, 0)):
            history = self._history(segment, key)
            until = 0 if history is None else history.end
            for since, value in () if history is None else history.versions:
                if value is not None and since <= time_to and until > oldest:
                    found.append((value, since, until))
                until = since
        return found

    def every_version(self) -> Iterator[tuple[bytes, bytes, int, int | None]]:
        """Yield key, value, begin and end of all versions within the history; the newest of a key
        has no end and is never too old.
        """
        for key, row in self._overlay.scan(_LATEST, _BEHIND_LATEST, reverse=False):
            yield key[1:], row[TIMESTAMP_BYTES:], timestamp_of(row), None
        oldest = self._observed - self._retention
        first = pack_timestamp(max(self._live, 0))
        for place, data in self._overlay.scan(first, _LATEST, reverse=False):
            history = _History.of(data)
            until = history.end
            for since, value in history.versions:
                if value is not None and until > oldest:
                    yield place[TIMESTAMP_BYTES:], value, since, until
                until = since

    def commit(self, changelog_offset: int | None) -> None:
        """Write all changes to the engine, and drop expired segments."""
        state = pack_timestamp(self._observed)
        if state != self._saved:
            self._overlay.put(CLOCK_KEY, state)
        self._overlay.apply(changelog_offset, self._dropped())
        self._saved = state
        self._dropped_to = self._live

    def restore(self, records: Iterable[tuple[bytes, bytes | None, int]], offset: int) -> None:
        """Apply changelog records; the store is then complete up to `offset`."""
        for key, value, timestamp in records:
            if timestamp >= self._observed - self._retention:
                self._observe(timestamp)
                self._put(key, value, timestamp)
        self.commit(offset)

    def _observe(self, time: int) -> None:
        if time > self._observed:
            self._observed = time
            self._live = max(0, (time - self._retention) // self._interval)

    def _dropped(self) -> list[KeyRange]:
        if self._live <= self._dropped_to:
            return []
        return [(pack_timestamp(self._dropped_to), pack_timestamp(self._live))]

    def _put(self, key: bytes, value: bytes | None, timestamp: int) -> int:
        latest = self.get(key)
        valid_to = NEWEST
        if latest is not None:
            valid_to = latest[1]
            if timestamp >= valid_to:
                if timestamp > valid_to:
                    self._move(key, latest, timestamp)
                self._put_latest(key, value, timestamp)
                return NEWEST
        for segment in self._segments_from(timestamp):
            history = self._history(segment, key)
            if history is None:
                continue
            if history.end <= timestamp:
                break
            if history.first <= timestamp:
                return self._put_between(segment, history, key, value, timestamp)
            valid_to = history.first
        if valid_to == NEWEST:
            return self._put_newest(key, value, timestamp)
        return self._put_before(key, value, timestamp, valid_to)

    def _put_latest(self, key: bytes, value: bytes | None, timestamp: int) -> None:
        if value is None:
            self._overlay.delete(_LATEST + key)
        else:
            self._overlay.put(_LATEST + key, pack_timestamp(timestamp) + value)

    def _put_newest(self, key: bytes, value: bytes | None, timestamp: int) -> int:
        """Put a version of a key that has no newest version and none after `timestamp` in its
        history.
        """
        if value is not None:
            self._put_latest(key, value, timestamp)
            return NEWEST
        segment = timestamp // self._interval
        if segment < self._live:
            return NOT_PUT
        history = self._history(segment, key)
        if history is None:
            self._keep(segment, key, _History(timestamp, [(timestamp, None)]))
        elif history.end != timestamp:
            history.add_newest(history.end, timestamp, None)
            self._keep(segment, key, history)
        return NEWEST

    def _put_before(self, key: bytes, value: bytes | None, timestamp: int, valid_to: int) -> int:
        """Put a version older than all that were found; the next one begins at `valid_to`."""
        segment = valid_to // self._interval
        if segment < self._live:
            return NOT_PUT
        history = self._history(segment, key)
        if history is None:
            history = _History(valid_to, [(timestamp, value)])
        elif history.end <= timestamp:
            history.add_newest(timestamp, valid_to, value)
        else:
            history.add_oldest(timestamp, value)
        self._keep(segment, key, history)
        return valid_to

    def _put_between(
        self, segment: int, history: _History, key: bytes, value: bytes | None, timestamp: int
    ) -> int:
        """Put a version into a history that holds the versions before and after it."""
        index, since, valid_to = history.find(timestamp)
        if since == timestamp:
            history.versions[index] = (timestamp, value)
        elif timestamp // self._interval != segment:
            # The version before it ends here, in an earlier segment.
            self._move_to_history(key, history.versions[index][1], since, timestamp)
            history.versions[index] = (timestamp, value)
        else:
            history.versions.insert(index, (timestamp, value))
        self._keep(segment, key, history)
        return valid_to

    def _move(self, key: bytes, latest: Version, timestamp: int) -> None:
        self._move_to_history(key, latest[0], latest[1], timestamp)

    def _move_to_history(self, key: bytes, value: bytes | None, since: int, valid_to: int) -> None:
        """Put a replaced version into the segment of its end, unless that has expired."""
        segment = valid_to // self._interval
        if segment < self._live:
            return
        history = self._history(segment, key)
        if history is None:
            history = _History(valid_to, [(since, value)])
        else:
            history.add_newest(since, valid_to, value)
        self._keep(segment, key, history)

    def _segments_from(self, time: int) -> Iterator[int]:
        """Return the segments of that time and later, the newest first."""
        first = max(time // self._interval, self._live)
        return iter(range(self._observed // self._interval, first - 1, -1))

    def _history(self, segment: int, key: bytes) -> _History | None:
        data = self._overlay.get(pack_timestamp(segment) + key)
        return None if data is None else _History.of(data)

    def _keep(self, segment: int, key: bytes, history: _History) -> None:
        self._overlay.put(pack_timestamp(segment) + key, history.packed())


class _History:
    """The versions of a key that were replaced in one segment, newest first; the newest ends at
    `end`. If it also begins there, it stands for a deletion.
    """

    __slots__ = ("end", "versions")

    def __init__(self, end: int, versions: list[tuple[int, bytes | None]]) -> None:
        self.end = end
        self.versions = versions

    @staticmethod
    def of(data: bytes) -> _History:
        end, _, count = _HEAD.unpack_from(data)
        at = _HEAD.size + count * _ITEM.size
        versions: list[tuple[int, bytes | None]] = []
        for since, length in _ITEM.iter_unpack(data[_HEAD.size : at]):
            if length == _DELETED:
                versions.append((since, None))
            else:
                versions.append((since, data[at : at + length]))
                at += length
        return _History(end, versions)

    @property
    def first(self) -> int:
        return self.versions[-1][0]

    def packed(self) -> bytes:
        versions = self.versions
        items = (
            _ITEM.pack(since, _DELETED if value is None else len(value))
            for since, value in versions
        )
        head = _HEAD.pack(self.end, versions[-1][0], len(versions))
        return b"".join((head, *items, *(value for _, value in versions if value is not None)))

    def find(self, time: int) -> tuple[int, int, int]:
        """Return the index of the version of a time, its begin and its end."""
        end = self.end
        for index, (since, _) in enumerate(self.versions):
            if since <= time:
                return index, since, end
            end = since
        raise AssertionError(time)

    def version_at(self, time: int) -> EndedVersion | None:
        index, since, until = self.find(time)
        value = self.versions[index][1]
        return None if value is None else (value, since, until)

    def add_newest(self, since: int, end: int, value: bytes | None) -> None:
        """Add a version; between the last end and its begin the key was deleted."""
        is_only_deletion = self.end == self.versions[-1][0]
        if is_only_deletion:
            self.versions.clear()
        if self.end != since:
            self.versions.insert(0, (self.end, None))
        self.versions.insert(0, (since, value))
        self.end = end

    def add_oldest(self, since: int, value: bytes | None) -> None:
        if self.end == self.versions[-1][0]:
            self.versions.clear()
        self.versions.append((since, value))


class VersionedState(CodedState[Codec]):
    """The store of a versioned table as its operator sees it."""

    __slots__ = ("_rows", "history_retention_ms")

    def __init__(self, name: str, codec: Codec, rows: VersionedRows) -> None:
        super().__init__(name, codec)
        self._rows = rows
        self.history_retention_ms = rows.history_retention_ms

    def get(self, raw_key: bytes) -> tuple[Any, int] | None:
        """Return the newest value of a key and its timestamp, None if it has none."""
        return self._decoded(self._rows.get(raw_key))

    def get_as_of(self, raw_key: bytes, as_of: int) -> tuple[Any, int] | None:
        """Return the value that a key had at a time, and its timestamp; None if it had none."""
        return self._decoded(self._rows.get_as_of(raw_key, as_of))

    def put(
        self,
        raw_key: bytes,
        value: Any,
        value_timestamp: int,
        timestamp: int,  # noqa: ARG002 # the record in hand, as in all writes of operators
        headers: HeaderPairs,  # noqa: ARG002
    ) -> int:
        """Set the value that a key has from `value_timestamp` on. Return until when it is valid,
        NEWEST or NOT_PUT.
        """
        try:
            data = None if value is None else self.codec.encode_value(value)
        except TypeError as error:
            raise wrong_type(self._name, "value", value, error) from error
        return self._rows.put(raw_key, data, value_timestamp)

    def _decoded(self, version: Version | None) -> tuple[Any, int] | None:
        return None if version is None else (self.codec.decode_value(version[0]), version[1])
