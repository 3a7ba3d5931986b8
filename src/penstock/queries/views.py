"""The views of `KafkaStreams.store`. Java: ReadOnlyKeyValueStore and its kin.

`KafkaStreams.store(name)` returns one of the read-only views below. Keys and values go through the
store's serdes. Under exactly-once a view shows committed state, `uncommitted=True` also what the
open transaction has written, as Java does; under at-least-once a view shows what Java shows. An
answer is one point in time of each task. A scan reads page by page, and two tasks are not read at
the same moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.queries.asking import Asker, ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.questions import Read, Row
from penstock.errors import QueryError
from penstock.queries.query_iterator import QueryIterator
from penstock.queries.source import Source
from penstock.queries.times import to_partition, to_time
from penstock.serdes import Serde
from penstock.settings import StreamsConfig
from penstock.stores import VersionedRecord
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME

if TYPE_CHECKING:
    from penstock._engine.spark.session import DataFrame, SparkSession

__all__ = [
    "QueryIterator",
    "ReadOnlyKeyValueStore",
    "ReadOnlySessionStore",
    "ReadOnlyVersionedStore",
    "ReadOnlyWindowStore",
]

K = TypeVar("K")
V = TypeVar("V")


class _View(ExplainsCamelCase):
    """What all views have."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """The name of the store."""
        return self._source.store.name

    @property
    def offsets_behind(self) -> dict[int, int]:
        """Of a view with `stale_ok`: how many changelog offsets the copy was behind that gave the
        last answer of each partition; 0 if its task ran.
        """
        return dict(self._source.behind)

    def to_dataframe(self, spark: SparkSession | None = None) -> DataFrame:
        """Return the store as a batch DataFrame, as `penstock.spark.state` does: from its
        changelog, as of the last commit of each task at this call, not as of this view.

        Raises:
            QueryError: the store has no changelog, or is global.
        """
        from penstock._engine.spark.state.table import table_of_entry  # noqa: PLC0415

        source = self._source
        return table_of_entry(source.store, source.config, source.partition, spark)


class ReadOnlyKeyValueStore(_View, Generic[K, V]):
    """A key-value store, timestamped or not, as a query sees it. Java: ReadOnlyKeyValueStore.

    Of a timestamped store, as tables have, values are `ValueAndTimestamp`: the view is Java's
    `QueryableStoreTypes.timestampedKeyValueStore()`; a `KeyQuery` has plain values.

    ```python
    counts = streams.store("counts")
    counts.get("ann")
    for customer, count in counts.range("a", "b"):
        print(customer, count)
    ```
    """

    _spoken_name = "ReadOnlyKeyValueStore"

    def get(self, key: K) -> V | None:
        """Return the value of `key`, or None."""
        rows = self._source.of_key(key, Read("get"))
        return self._source.value(rows[0]) if rows else None

    def get_all(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the values of those of `keys` that have one: one question to each worker for a
        few thousand keys.
        """
        raw_keys = {key: self._source.raw_key(key) for key in keys}
        found = self._source.of_keys(raw_keys, Read("get"))
        return {
            key: self._source.value(found[raw]) for key, raw in raw_keys.items() if raw in found
        }

    def range(self, start: K | None, end: K | None) -> QueryIterator[tuple[K, V]]:
        """Return the entries from `start` to `end`, both included, None for no bound, in the order
        of the bytes of the keys.
        """
        return self._range(start, end, reverse=False)

    def reverse_range(self, start: K | None, end: K | None) -> QueryIterator[tuple[K, V]]:
        """Return the entries of `range`, last first."""
        return self._range(start, end, reverse=True)

    def all(self) -> QueryIterator[tuple[K, V]]:
        """Return all entries, in the order of the bytes of the keys."""
        return self._range(None, None, reverse=False)

    def reverse_all(self) -> QueryIterator[tuple[K, V]]:
        """Return all entries, last first."""
        return self._range(None, None, reverse=True)

    def prefix_scan(
        self, prefix: Any, serde: Serde[Any] | None = None
    ) -> QueryIterator[tuple[K, V]]:
        """Return the entries whose serialized key begins with that of `prefix`: bytes as they are,
        anything else as `serde` writes it, or as the store's keys are written. Java: prefixScan.
        """
        return self._entries(Read("prefix", keys=(self._source.raw_prefix(prefix, serde),)))

    def approximate_num_entries(self) -> int:
        """Return about how many entries there are."""
        parts = self._source.of_all(Read("count"))
        return sum(int.from_bytes(part.rows[0][1]) for part in parts.values())

    def _range(self, start: Any, end: Any, *, reverse: bool) -> QueryIterator[tuple[K, V]]:
        bounds = self._source.bounds(start, end)
        return self._entries(Read("range", (), *bounds, reverse=reverse))

    def _entries(self, read: Read) -> QueryIterator[tuple[K, V]]:
        source = self._source
        return QueryIterator((source.key(row[0]), source.value(row)) for row in source.by_key(read))


class ReadOnlyWindowStore(_View, Generic[K, V]):
    """A window store, timestamped or not, as a query sees it. Java: ReadOnlyWindowStore.

    ```python
    counts = streams.store("counts-per-minute")
    for start, count in counts.fetch("ann", 0, 3_600_000):
        print(start, count)
    ```
    """

    _spoken_name = "ReadOnlyWindowStore"

    def fetch(self, key: K, time_from: int, time_to: int | None = None) -> Any:
        """Return the value of the window that begins at a time; or, between two times, the starts
        and values of all windows of `key`, the earliest first.
        """
        if time_to is not None:
            return self._of_key(key, time_from, time_to, reverse=False)
        read = Read("window", time_from=to_time(time_from, "time_from"))
        rows = self._source.of_key(key, read)
        return self._source.value(rows[0]) if rows else None

    def backward_fetch(self, key: K, time_from: int, time_to: int) -> QueryIterator[tuple[int, V]]:
        """Return the windows of `key` between two times, the latest first."""
        return self._of_key(key, time_from, time_to, reverse=True)

    def fetch_range(
        self, key_from: K | None, key_to: K | None, time_from: int, time_to: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the windows of several keys between two times, None for no bound; task by task."""
        return self._range(key_from, key_to, time_from, time_to, reverse=False)

    def backward_fetch_range(
        self, key_from: K | None, key_to: K | None, time_from: int, time_to: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the windows of `fetch_range`, last first in each task."""
        return self._range(key_from, key_to, time_from, time_to, reverse=True)

    def fetch_all(self, time_from: int, time_to: int) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the windows of all keys between two times."""
        return self._range(None, None, time_from, time_to, reverse=False)

    def backward_fetch_all(
        self, time_from: int, time_to: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the windows of `fetch_all`, last first in each task."""
        return self._range(None, None, time_from, time_to, reverse=True)

    def all(self) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return all windows."""
        return self._range(None, None, 0, END_OF_TIME, reverse=False)

    def backward_all(self) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return all windows, last first in each task."""
        return self._range(None, None, 0, END_OF_TIME, reverse=True)

    def _of_key(
        self, key: Any, time_from: int, time_to: int, *, reverse: bool
    ) -> QueryIterator[tuple[int, V]]:
        source, times = self._source, _between(time_from, time_to)
        read = Read("windows", (), None, None, *times, reverse)
        rows = source.rows_of_key(key, read)
        return QueryIterator((row[3] or 0, source.value(row)) for row in rows)

    def _range(
        self, key_from: Any, key_to: Any, time_from: int, time_to: int, *, reverse: bool
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        source = self._source
        bounds = source.bounds(key_from, key_to)
        times = _between(time_from, time_to)
        read = Read("window_range", (), *bounds, *times, reverse)
        return QueryIterator(windowed(source, source.rows_one_by_one(read), source.value))


class ReadOnlySessionStore(_View, Generic[K, V]):
    """A session store as a query sees it. Java: ReadOnlySessionStore.

    ```python
    visits = streams.store("visits")
    for session, count in visits.fetch("ann"):
        print(session.start, session.end, count)
    ```
    """

    _spoken_name = "ReadOnlySessionStore"

    def fetch_session(self, key: K, start: int, end: int) -> V | None:
        """Return the value of the session with exactly these bounds, or None."""
        read = Read("session", (), None, None, to_time(start, "start"), to_time(end, "end"))
        rows = self._source.of_key(key, read)
        return self._source.value(rows[0]) if rows else None

    def fetch(self, key: K) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key`, by their ends."""
        return self.find_sessions(key, 0, END_OF_TIME)

    def backward_fetch(self, key: K) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key`, last first."""
        return self.backward_find_sessions(key, 0, END_OF_TIME)

    def find_sessions(
        self, key: K, earliest_end: int, latest_start: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `key` that end at `earliest_end` or later and start at
        `latest_start` or earlier, by their ends.
        """
        return self._of_key(key, earliest_end, latest_start, reverse=False)

    def backward_find_sessions(
        self, key: K, earliest_end: int, latest_start: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `find_sessions`, last first."""
        return self._of_key(key, earliest_end, latest_start, reverse=True)

    def fetch_range(
        self, key_from: K | None, key_to: K | None
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of several keys, None for no bound; task by task."""
        return self.find_sessions_range(key_from, key_to, 0, END_OF_TIME)

    def backward_fetch_range(
        self, key_from: K | None, key_to: K | None
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `fetch_range`, last first in each task."""
        return self.backward_find_sessions_range(key_from, key_to, 0, END_OF_TIME)

    def find_sessions_range(
        self, key_from: K | None, key_to: K | None, earliest_end: int, latest_start: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Do as `find_sessions` for several keys, None for no bound; task by task."""
        return self._range(key_from, key_to, (earliest_end, latest_start), reverse=False)

    def backward_find_sessions_range(
        self, key_from: K | None, key_to: K | None, earliest_end: int, latest_start: int
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        """Return the sessions of `find_sessions_range`, last first in each task."""
        return self._range(key_from, key_to, (earliest_end, latest_start), reverse=True)

    def _range(
        self, key_from: Any, key_to: Any, times: tuple[int, int], *, reverse: bool
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        source = self._source
        bounds = source.bounds(key_from, key_to)
        read = Read("session_range", (), *bounds, *_overlapping(*times), reverse)
        return QueryIterator(windowed(source, source.rows_one_by_one(read), source.value))

    def _of_key(
        self, key: Any, earliest_end: int, latest_start: int, *, reverse: bool
    ) -> QueryIterator[tuple[Windowed[K], V]]:
        source, times = self._source, _overlapping(earliest_end, latest_start)
        read = Read("sessions", (), None, None, *times, reverse)
        return QueryIterator(windowed(source, source.rows_of_key(key, read), source.value))


class ReadOnlyVersionedStore(_View, Generic[K, V]):
    """A versioned store as a query sees it. Java: VersionedKeyQuery, MultiVersionedKeyQuery.

    ```python
    prices = streams.store("prices")
    prices.get("tea", as_of=1_793_000_000_000)
    ```
    """

    _spoken_name = "ReadOnlyVersionedStore"

    def get(self, key: K, as_of: int | None = None) -> VersionedRecord[V] | None:
        """Return the newest version of `key`, or the one it had at the time `as_of`."""
        asked = Read("version")
        if as_of is not None:
            asked = Read("version", time_to=to_time(as_of, "as_of"), reverse=True)
        rows = self._source.of_key(key, asked)
        return self._source.version(rows[0]) if rows else None

    def history(
        self, key: K, time_from: int = 0, time_to: int = END_OF_TIME, *, newest_first: bool = True
    ) -> list[VersionedRecord[V]]:
        """Return the versions of `key` that were valid at some time between two times."""
        times = _between(time_from, time_to)
        read = Read("versions", (), None, None, *times, newest_first)
        return [self._source.version(row) for row in self._source.of_key(key, read)]


def _between(time_from: Any, time_to: Any) -> tuple[int, int]:
    return to_time(time_from, "time_from"), to_time(time_to, "time_to")


def _overlapping(earliest_end: Any, latest_start: Any) -> tuple[int, int]:
    return to_time(earliest_end, "earliest_end"), to_time(latest_start, "latest_start")


def windowed(
    source: Source, rows: Iterable[Row], value_of: Callable[[Row], Any]
) -> Iterator[tuple[Windowed[Any], Any]]:
    """Return the windows or sessions of rows, with their values."""
    for row in rows:
        yield Windowed(source.key(row[0]), row[3] or 0, row[4] or 0), value_of(row)


_VIEWS: dict[str, type[_View]] = {
    "key_value": ReadOnlyKeyValueStore,
    "timestamped_key_value": ReadOnlyKeyValueStore,
    "timestamped_key_value_with_headers": ReadOnlyKeyValueStore,
    "window": ReadOnlyWindowStore,
    "timestamped_window": ReadOnlyWindowStore,
    "timestamped_window_with_headers": ReadOnlyWindowStore,
    "session": ReadOnlySessionStore,
    "session_with_headers": ReadOnlySessionStore,
    "versioned_key_value": ReadOnlyVersionedStore,
}


def view_of(
    stores: Mapping[str, StoreEntry],
    name: str,
    source: tuple[Asker, StreamsConfig, ReadOptions],
    partition: int | None = None,
    partitioner: Any = None,
) -> Any:
    """Return the view of a store.

    Raises:
        QueryError: there is no such store or partition, or it belongs to an operator.
    """
    store = store_named(name, stores)
    number = to_partition(partition)
    if partition is not None and number is None:
        msg = f"a partition of store {name!r} must be a whole number; got {partition!r}"
        raise QueryError(msg)
    if number is not None and number not in store.tasks:
        msg = f"store {name!r} has no partition {number}; it has {len(store.tasks)}"
        raise QueryError(msg)
    view = _VIEWS.get(store.plan.builder.kind)
    if view is None:
        msg = f"store {name!r} belongs to an operator and cannot be queried"
        raise QueryError(msg)
    return view(Source(store, *source, number, partitioner))


def store_named(name: str, stores: Mapping[str, StoreEntry]) -> StoreEntry:
    """Return a store of the application.

    Raises:
        QueryError: there is no such store.
    """
    store = stores.get(name)
    if store is None:
        known = ", ".join(map(repr, sorted(stores))) or "none"
        msg = f"the application has no store {name!r}; its stores: {known}"
        raise QueryError(msg)
    return store
