"""What each kind of store can do, as a processor sees it. Times are milliseconds.

Long because each method has an example.
"""

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
    """A map from keys to values, sorted by the bytes of the serialized key. Java: KeyValueStore.

    >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
    >>> store.put("ann", 5)
    >>> list(store.all())
    [('ann', 5)]
    """

    @property
    def name(self) -> str: ...

    def get(self, key: K) -> V | None:
        """Return the value of `key`, or None.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put("ann", 5)
        >>> store.get("ann"), store.get("bob")
        (5, None)
        """

    def put(self, key: K, value: V | None) -> None:
        """Set the value of `key`; None deletes it.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put("ann", 5)
        >>> store.put("ann", None)
        >>> list(store.all())
        []
        """

    def put_if_absent(self, key: K, value: V) -> V | None:
        """Set the value of `key` if it has none; return the one it had.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put_if_absent("ann", 5), store.put_if_absent("ann", 7)
        (None, 5)
        """

    def put_all(self, entries: Iterable[tuple[K, V | None]]) -> None:
        """Set several.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put_all([("ann", 5), ("bob", 2)])
        >>> list(store.all())
        [('ann', 5), ('bob', 2)]
        """

    def delete(self, key: K) -> V | None:
        """Delete `key` and return the value it had.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put("ann", 5)
        >>> store.delete("ann"), store.delete("ann")
        (5, None)
        """

    def range(self, start: K | None, end: K | None) -> StoreIterator[tuple[K, V]]:
        """Return the entries from `start` to `end`, both included, None for no bound.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put_all([("ann", 5), ("bob", 2), ("cy", 7)])
        >>> list(store.range("b", None))
        [('bob', 2), ('cy', 7)]
        """

    def reverse_range(self, start: K | None, end: K | None) -> StoreIterator[tuple[K, V]]:
        """Return the entries of `range`, last first.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put_all([("ann", 5), ("bob", 2), ("cy", 7)])
        >>> list(store.reverse_range("b", None))
        [('cy', 7), ('bob', 2)]
        """

    def all(self) -> StoreIterator[tuple[K, V]]:
        """Return all entries.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put_all([("bob", 2), ("ann", 5)])
        >>> list(store.all())
        [('ann', 5), ('bob', 2)]
        """

    def reverse_all(self) -> StoreIterator[tuple[K, V]]:
        """Return all entries, last first.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put_all([("bob", 2), ("ann", 5)])
        >>> list(store.reverse_all())
        [('bob', 2), ('ann', 5)]
        """

    def prefix_scan(
        self, prefix: Any, serde: Serde[Any] | None = None
    ) -> StoreIterator[tuple[K, V]]:
        """Return the entries whose serialized key begins with that of `prefix`: bytes as they are,
        anything else as `serde` writes it, or as the store's keys are written. Java: prefixScan.

        >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
        >>> store.put_all([("ann", 5), ("anton", 2), ("bob", 7)])
        >>> list(store.prefix_scan("an"))
        [('ann', 5), ('anton', 2)]
        """

    def approximate_num_entries(self) -> int:
        """Return the approximate number of entries.

        >>> store = opened(Stores.in_memory_key_value_store("spent", key=text, value=number))
        >>> store.put_all([("ann", 5), ("bob", 2)])
        >>> store.approximate_num_entries()
        2
        """


class ValueAndTimestamp(NamedTuple, Generic[V_co]):
    """A value and the time of the record that made it. Java: ValueAndTimestamp.

    >>> ValueAndTimestamp(5, 60_000).value
    5
    """

    value: V_co
    timestamp: int


class TimestampedKeyValueStore(KeyValueStore[K, ValueAndTimestamp[V]], Protocol[K, V]):
    """A map from keys to values with their times: what tables and aggregates are kept in. Java:
    TimestampedKeyValueStore.

    >>> store = opened(Stores.timestamped_key_value_store("spent", key=text, value=number))
    >>> store.put("ann", ValueAndTimestamp(5, 60_000))
    >>> store.get("ann")
    ValueAndTimestamp(value=5, timestamp=60000)
    """


class VersionedRecord(NamedTuple, Generic[V_co]):
    """A version of a value, since when it is valid, and until when: None if it still is. As in
    Java, a store's `get` of one time leaves out the latter. Java: VersionedRecord.

    >>> VersionedRecord(5, timestamp=60_000)
    VersionedRecord(value=5, timestamp=60000, valid_to=None)
    """

    value: V_co
    timestamp: int
    valid_to: int | None = None


NEWEST: Final = -1
"""What a versioned store's `put` returns if nothing of a later time is known of the key. Java:
PUT_RETURN_CODE_VALID_TO_UNDEFINED.

>>> from penstock.stores import NEWEST
>>> prices = Stores.versioned_key_value_store("prices", history_retention=hour)
>>> opened(prices).put("tea", 3, 60_000) == NEWEST
True
"""
NOT_PUT: Final = -(2**63)
"""What it returns if the version is too old to be kept. Java: PUT_RETURN_CODE_NOT_PUT.

>>> from penstock.stores import NOT_PUT
>>> store = opened(Stores.versioned_key_value_store("prices", history_retention=hour))
>>> _ = store.put("tea", 3, 7_200_000)
>>> store.put("tea", 4, 0) == NOT_PUT
True
"""


class VersionedKeyValueStore(Protocol[K_contra, V]):
    """A map from keys to values that remembers the values of the past. Java:
    VersionedKeyValueStore.

    >>> store = opened(Stores.versioned_key_value_store("prices", history_retention=hour))
    >>> store.put("tea", 3, 0), store.put("tea", 4, 60_000)
    (-1, -1)
    >>> store.get("tea", as_of=30_000)
    VersionedRecord(value=3, timestamp=0, valid_to=None)
    """

    @property
    def name(self) -> str: ...

    def put(self, key: K_contra, value: V | None, timestamp: int) -> int:
        """Set the value that `key` has from `timestamp` on; None deletes it from then on. Return
        the time until which it is valid: that of the next version, `NEWEST` if there is none,
        `NOT_PUT` if the history does not reach back that far.

        >>> store = opened(Stores.versioned_key_value_store("prices", history_retention=hour))
        >>> store.put("tea", 4, 60_000), store.put("tea", 3, 0)
        (-1, 60000)
        """

    def delete(self, key: K_contra, timestamp: int) -> VersionedRecord[V] | None:
        """Delete `key` from `timestamp` on; return the value it had then.

        >>> store = opened(Stores.versioned_key_value_store("prices", history_retention=hour))
        >>> _ = store.put("tea", 3, 0)
        >>> store.delete("tea", 60_000), store.get("tea")
        (VersionedRecord(value=3, timestamp=0, valid_to=None), None)
        """

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

        >>> store = opened(Stores.versioned_key_value_store("prices", history_retention=hour))
        >>> _ = store.put("tea", 3, 0), store.put("tea", 4, 60_000)
        >>> store.get("tea"), [version.value for version in store.get("tea", 0, 60_000)]
        (VersionedRecord(value=4, timestamp=60000, valid_to=None), [4, 3])
        """


class WindowStore(Protocol[K, V]):
    """A map from keys and the starts of windows to values. All bounds are included. Java:
    WindowStore.

    Windows that lie further back than the retention are not seen any more, and not put either.

    >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
    >>> store.put("ann", 5, 0)
    >>> store.fetch("ann", 0)
    5
    """

    @property
    def name(self) -> str: ...

    def put(self, key: K, value: V | None, window_start: int) -> None:
        """Set the value of a window; None deletes it.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 60_000)
        >>> list(store.all())
        [(Windowed(key='ann', start=60000, end=120000), 5)]
        """

    @overload
    def fetch(self, key: K, time: int, /) -> V | None: ...
    @overload
    def fetch(self, key: K, time_from: int, time_to: int, /) -> StoreIterator[tuple[int, V]]: ...
    def fetch(self, key: K, time_from: int, time_to: int | None = None, /) -> Any:
        """Return the value of the window that begins at a time; or, between two times, the starts
        and values of all windows of `key`, the earliest first.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> store.put("ann", 3, 60_000)
        >>> store.fetch("ann", 60_000), list(store.fetch("ann", 0, 60_000))
        (3, [(0, 5), (60000, 3)])
        """

    def backward_fetch(self, key: K, time_from: int, time_to: int) -> StoreIterator[tuple[int, V]]:
        """Return the windows of `key` between two times, the latest first.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> store.put("ann", 3, 60_000)
        >>> list(store.backward_fetch("ann", 0, 60_000))
        [(60000, 3), (0, 5)]
        """

    def fetch_range(
        self, key_from: K | None, key_to: K | None, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the windows of several keys between two times, None for no bound. Java: fetch.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> store.put("bob", 3, 60_000)
        >>> [(str(window), value) for window, value in store.fetch_range("b", None, 0, 60_000)]
        [('[bob@60000/120000]', 3)]
        """

    def backward_fetch_range(
        self, key_from: K | None, key_to: K | None, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the windows of `fetch_range`, last first.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> store.put("bob", 3, 60_000)
        >>> [window.key for window, value in store.backward_fetch_range("a", "c", 0, 60_000)]
        ['bob', 'ann']
        """

    def fetch_all(self, time_from: int, time_to: int) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the windows of all keys between two times.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> store.put("bob", 3, 60_000)
        >>> [(str(window), value) for window, value in store.fetch_all(60_000, 120_000)]
        [('[bob@60000/120000]', 3)]
        """

    def backward_fetch_all(
        self, time_from: int, time_to: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the windows of `fetch_all`, last first.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> store.put("bob", 3, 60_000)
        >>> [window.key for window, value in store.backward_fetch_all(0, 120_000)]
        ['bob', 'ann']
        """

    def all(self) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return all windows.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> [(str(window), value) for window, value in store.all()]
        [('[ann@0/60000]', 5)]
        """

    def backward_all(self) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return all windows, last first.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> store.put("bob", 3, 60_000)
        >>> [window.key for window, value in store.backward_all()]
        ['bob', 'ann']
        """


class TimestampedWindowStore(WindowStore[K, ValueAndTimestamp[V]], Protocol[K, V]):
    """A window store of values with their times: what windowed aggregates are kept in. Java:
    TimestampedWindowStore.

    >>> counts = by_customer.windowed_by(two_minutes).count(Materialized("counts"))
    >>> with driver_of(builder.build()) as driver:
    ...     driver.get_timestamped_window_store("counts").fetch("ann", 240_000)
    ValueAndTimestamp(value=1, timestamp=240000)
    """


class SessionStore(Protocol[K, V]):
    """A map from keys and sessions to values. All bounds are included. Java: SessionStore.

    Sessions that ended further back than the retention are not seen any more, and not put either.

    >>> store = opened(Stores.session_store("visits", retention=hour))
    >>> store.put(Windowed("ann", 0, 60_000), 5)
    >>> store.fetch_session("ann", 0, 60_000)
    5
    """

    @property
    def name(self) -> str: ...

    def put(self, session: Windowed[K], value: V | None) -> None:
        """Set the value of a session; None deletes it.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 60_000), 5)
        >>> [(str(session), value) for session, value in store.fetch("ann")]
        [('[ann@0/60000]', 5)]
        """

    def remove(self, session: Windowed[K]) -> None:
        """Delete a session.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 60_000), 5)
        >>> store.remove(Windowed("ann", 0, 60_000))
        >>> list(store.fetch("ann"))
        []
        """

    def fetch_session(self, key: K, start: int, end: int) -> V | None:
        """Return the value of the session with exactly these bounds, or None.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 60_000), 5)
        >>> store.fetch_session("ann", 0, 60_000), store.fetch_session("ann", 0, 1)
        (5, None)
        """

    def find_sessions(
        self, key: K, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key` that end at `earliest_end` or later and start at
        `latest_start` or earlier, by their ends.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("ann", 50, 90), 3)
        >>> [str(session) for session, value in store.find_sessions("ann", 20, 60)]
        ['[ann@50/90]']
        """

    def backward_find_sessions(
        self, key: K, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `find_sessions`, last first.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("ann", 50, 90), 3)
        >>> [str(session) for session, value in store.backward_find_sessions("ann", 0, 60)]
        ['[ann@50/90]', '[ann@0/10]']
        """

    def find_sessions_range(
        self, key_from: K | None, key_to: K | None, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Do as `find_sessions` for several keys, None for no bound. Java: findSessions.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("bob", 50, 90), 3)
        >>> [str(session) for session, value in store.find_sessions_range("a", "b", 0, 60)]
        ['[ann@0/10]']
        """

    def backward_find_sessions_range(
        self, key_from: K | None, key_to: K | None, earliest_end: int, latest_start: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `find_sessions_range`, last first.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("bob", 50, 90), 3)
        >>> [session.key for session, _ in store.backward_find_sessions_range("a", "c", 0, 60)]
        ['bob', 'ann']
        """

    def find_sessions_ending(
        self, earliest_end: int, latest_end: int
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of all keys that end between two times, by their ends. Java:
        findSessions(Instant, Instant), which stores on disk refuse.

        >>> store = opened(Stores.in_memory_session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("bob", 50, 90), 3)
        >>> [str(session) for session, value in store.find_sessions_ending(80, 100)]
        ['[bob@50/90]']
        """

    def fetch(self, key: K) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key`.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("ann", 50, 90), 3)
        >>> [(str(session), value) for session, value in store.fetch("ann")]
        [('[ann@0/10]', 5), ('[ann@50/90]', 3)]
        """

    def backward_fetch(self, key: K) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key`, last first.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("ann", 50, 90), 3)
        >>> [(str(session), value) for session, value in store.backward_fetch("ann")]
        [('[ann@50/90]', 3), ('[ann@0/10]', 5)]
        """

    def fetch_range(
        self, key_from: K | None, key_to: K | None
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of several keys, None for no bound. Java: fetch.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("bob", 50, 90), 3)
        >>> [str(session) for session, value in store.fetch_range("b", None)]
        ['[bob@50/90]']
        """

    def backward_fetch_range(
        self, key_from: K | None, key_to: K | None
    ) -> StoreIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `fetch_range`, last first.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 10), 5)
        >>> store.put(Windowed("bob", 50, 90), 3)
        >>> [str(session) for session, value in store.backward_fetch_range("a", "c")]
        ['[bob@50/90]', '[ann@0/10]']
        """
