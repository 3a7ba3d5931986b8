"""What each kind of store can do, as a processor sees it. Times are milliseconds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar, overload

from penstock.serdes import Serde
from penstock.stores.iterators import StoreIterator
from penstock.windowed import Windowed

__all__ = [
    "NEWEST",
    "NOT_PUT",
    "KeyValueStore",
    "SessionStore",
    "TimestampedKeyValueStore",
    "TimestampedWindowStore",
    "ValueAndTimestamp",
    "VersionedKeyValueStore",
    "VersionedRecord",
    "WindowStore",
]

K = TypeVar("K")
V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
K_contra = TypeVar("K_contra", contravariant=True)


class KeyValueStore(Protocol[K, V]):
    """A map from keys to values, sorted by the bytes of the serialized key. Java: KeyValueStore."""

    @property
    def name(self) -> str: ...

    def get(self, key: K) -> V | None:
        """Return the value of `key`, or None."""

    def put(self, key: K, value: V | None) -> None:
        """Set the value of `key`; None deletes it."""

    def put_if_absent(self, key: K, value: V) -> V | None:
        """Set the value of `key` if it has none; return the one it had."""

    def put_all(self, entries: Iterable[tuple[K, V | None]]) -> None:
        """Set several."""

    def delete(self, key: K) -> V | None:
        """Delete `key` and return the value it had."""

    def range(self, start: K | None, end: K | None) -> StoreIterator[tuple[K, V]]:
        """Return the entries from `start` to `end`, both included, None for no bound."""

    def reverse_range(self, start: K | None, end: K | None) -> StoreIterator[tuple[K, V]]:
        """Return the entries of `range`, last first."""

    def all(self) -> StoreIterator[tuple[K, V]]:
        """Return all entries."""

    def reverse_all(self) -> StoreIterator[tuple[K, V]]:
        """Return all entries, last first."""

    def prefix_scan(
        self, prefix: Any, serde: Serde[Any] | None = None
    ) -> StoreIterator[tuple[K, V]]:
        """Return the entries whose serialized key begins with that of `prefix`: bytes as they are,
        anything else as `serde` writes it, or as the store's keys are written. Java: prefixScan.
        """

    def approximate_num_entries(self) -> int:
        """Return the approximate number of entries."""


class ValueAndTimestamp(NamedTuple, Generic[V_co]):
    """A value and the time of the record that made it. Java: ValueAndTimestamp."""

    value: V_co
    timestamp: int


class TimestampedKeyValueStore(KeyValueStore[K, ValueAndTimestamp[V]], Protocol[K, V]):
    """A map from keys to values with their times: what tables and aggregates are kept in. Java:
    TimestampedKeyValueStore.
    """


class VersionedRecord(NamedTuple, Generic[V_co]):
    """A version of a value, since when it is valid, and until when: None if it still is. As in
    Java, a store's `get` of one time leaves out the latter. Java: VersionedRecord.
    """

    value: V_co
    timestamp: int
    valid_to: int | None = None


NEWEST: Final = -1
"""What a versioned store's `put` returns if nothing of a later time is known of the key. Java:
PUT_RETURN_CODE_VALID_TO_UNDEFINED.
"""
NOT_PUT: Final = -(2**63)
"""What it returns if the version is too old to be kept. Java: PUT_RETURN_CODE_NOT_PUT."""


class VersionedKeyValueStore(Protocol[K_contra, V]):
    """A map from keys to values that remembers the values of the past. Java:
    VersionedKeyValueStore.
    """

    @property
    def name(self) -> str: ...

    def put(self, key: K_contra, value: V | None, timestamp: int) -> int:
        """Set the value that `key` has from `timestamp` on; None deletes it from then on. Return
        the time until which it is valid: that of the next version, `NEWEST` if there is none,
        `NOT_PUT` if the history does not reach back that far.
        """

    def delete(self, key: K_contra, timestamp: int) -> VersionedRecord[V] | None:
        """Delete `key` from `timestamp` on; return the value it had then."""

    @overload
    def get(self, key: K_contra, as_of: int | None = None) -> VersionedRecord[V] | None: ...
    @overload
    def get(
        self, key: K_contra, time_from: int, time_to: int, /
    ) -> StoreIterator[VersionedRecord[V]]: ...
    def get(self, key: K_contra, as_of: int | None = None, time_to: int | None = None) -> Any:
        """Return the newest value of `key`, or the one it had at the time `as_of`; None if it had
        none, or if the history does not reach back that far. Between two times, both included,
        return all versions that were valid at some time then, the newest first.
        """


class WindowStore(Protocol[K, V]):
    """A map from keys and the starts of windows to values. All bounds are included. Java:
    WindowStore.

    Windows that lie further back than the retention are not seen any more, and not put either.
    """

    @property
    def name(self) -> str: ...

    def put(self, key: K, value: V | None, window_start: int) -> None:
        """Set the value of a window; None deletes it."""

    @overload
    def fetch(self, key: K, time: int, /) -> V | None: ...
    @overload
    def fetch(self, key: K, time_from: int, time_to: int, /) -> StoreIterator[tuple[int, V]]: ...
    def fetch(self, key: K, time_from: int, time_to: int | None = None, /) -> Any:
        """Return the value of the window that begins at a time; or, between two times, the starts
        and values of all windows of `key`, the earliest first.
        """

    def backward_fetch(self, key: K, time_from: int, time_to: int) -> StoreIterator[tuple[int, V]]:
        """Return the windows of `key` between two times, the latest first."""

    def fetch_range(
        self, key_from: K | None, key_to: K | None, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the windows of several keys between two times, None for no bound. Java: fetch."""

    def backward_fetch_range(
        self, key_from: K | None, key_to: K | None, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the windows of `fetch_range`, last first."""

    def fetch_all(self, time_from: int, time_to: int) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the windows of all keys between two times."""

    def backward_fetch_all(
        self, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the windows of `fetch_all`, last first."""

    def all(self) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return all windows."""

    def backward_all(self) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return all windows, last first."""


class TimestampedWindowStore(WindowStore[K, ValueAndTimestamp[V]], Protocol[K, V]):
    """A window store of values with their times: what windowed aggregates are kept in. Java:
    TimestampedWindowStore.
    """


class SessionStore(Protocol[K, V]):
    """A map from keys and sessions to values. All bounds are included. Java: SessionStore.

    Sessions that ended further back than the retention are not seen any more, and not put either.
    """

    @property
    def name(self) -> str: ...

    def put(self, session: Windowed[K], value: V | None) -> None:
        """Set the value of a session; None deletes it."""

    def remove(self, session: Windowed[K]) -> None:
        """Delete a session."""

    def fetch_session(self, key: K, start: int, end: int) -> V | None:
        """Return the value of the session with exactly these bounds, or None."""

    def find_sessions(
        self, key: K, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key` that end at `earliest_end` or later and start at
        `latest_start` or earlier, by their ends.
        """

    def backward_find_sessions(
        self, key: K, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `find_sessions`, last first."""

    def find_sessions_range(
        self, key_from: K | None, key_to: K | None, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Do as `find_sessions` for several keys, None for no bound. Java: findSessions."""

    def backward_find_sessions_range(
        self, key_from: K | None, key_to: K | None, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `find_sessions_range`, last first."""

    def find_sessions_ending(
        self, earliest_end: int, latest_end: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of all keys that end between two times, by their ends. Java:
        findSessions(Instant, Instant), which stores on disk refuse.
        """

    def fetch(self, key: K) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key`."""

    def backward_fetch(self, key: K) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key`, last first."""

    def fetch_range(
        self, key_from: K | None, key_to: K | None
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of several keys, None for no bound. Java: fetch."""

    def backward_fetch_range(
        self, key_from: K | None, key_to: K | None
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `fetch_range`, last first."""
