"""State stores: what a processor may keep, and how to ask for one.

```python
counts = Stores.in_memory_key_value_store("counts", key=serdes.string(), value=serdes.long())
builder.add_state_store(counts)
stream.process(Counter, state_stores=["counts"])  # it calls context.get_state_store("counts")
```
"""

from __future__ import annotations

from typing import Any

from penstock._durations import Duration, to_milliseconds
from penstock._names import check_name
from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.stores._builders import (
    EngineChoice,
    Logging,
    StoreBuilder,
    lru_map_builder,
    session_store_builder,
    store_builder,
    versioned_store_builder,
    window_store_builder,
)

__all__ = ["Stores"]

_WHAT = "store's name"


class Stores:
    """The kinds of stores. Java: Stores.

    `logging` is True, False, or the settings of the changelog topic. With `caching` several changes
    of a key become one in the store and in the changelog, made at the next commit. `store` is where
    it lives: "rocksdb", "in_memory", or an engine of your own, see `penstock.state`. A serde that
    is left out is the default one of the settings.

    >>> store = opened(Stores.key_value_store("spent", key=text, value=number))
    >>> store.put("ann", 5)
    >>> store.get("ann")
    5
    """

    @staticmethod
    def key_value_store(
        name: str,
        *,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        store: EngineChoice = "rocksdb",
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a key-value store that lives where `store` says.

        >>> spent = Stores.key_value_store("spent", key=text, value=number, store="in_memory")
        >>> spent.name, spent.engine
        ('spent', 'in_memory')
        """
        return store_builder(
            check_name(name, _WHAT), key, value, engine=store, caching=caching, logging=logging
        )

    @staticmethod
    def in_memory_key_value_store(
        name: str,
        *,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a key-value store that lives in memory.

        >>> Stores.in_memory_key_value_store("spent", key=text, value=number, logging=False).logged
        False
        """
        return store_builder(check_name(name, _WHAT), key, value, caching=caching, logging=logging)

    @staticmethod
    def persistent_key_value_store(
        name: str,
        *,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a key-value store that lives on disk, in RocksDB.

        >>> Stores.persistent_key_value_store("spent", key=text, value=number).engine
        'rocksdb'
        """
        return store_builder(
            check_name(name, _WHAT), key, value, engine="rocksdb", caching=caching, logging=logging
        )

    @staticmethod
    def timestamped_key_value_store(
        name: str,
        *,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        store: EngineChoice = "rocksdb",
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a store that keeps a time with each value, as those of tables do.

        >>> store = opened(Stores.timestamped_key_value_store("spent", key=text, value=number))
        >>> store.put("ann", ValueAndTimestamp(5, 60_000))
        >>> store.get("ann").timestamp
        60000
        """
        return store_builder(
            check_name(name, _WHAT),
            key,
            value,
            kind="timestamped_key_value",
            engine=store,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def timestamped_key_value_store_with_headers(
        name: str,
        *,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        store: EngineChoice = "rocksdb",
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a store that keeps a time and headers with each value; the records of its
        changelog have both.

        >>> last = Stores.timestamped_key_value_store_with_headers("last", key=text, value=number)
        >>> store = opened(last)
        >>> store.put("ann", ValueTimestampHeaders(5, 60_000, Headers([("trace", b"1")])))
        >>> store.get("ann").headers.last_header("trace")
        b'1'
        """
        return store_builder(
            check_name(name, _WHAT),
            key,
            value,
            kind="timestamped_key_value_with_headers",
            engine=store,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def lru_map(
        name: str,
        *,
        max_entries: int,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a key-value store in memory that holds at most `max_entries` keys: the least
        recently used one is evicted.

        >>> store = opened(Stores.lru_map("last", max_entries=2, key=text, value=number))
        >>> store.put_all([("ann", 5), ("bob", 2), ("cy", 7)])
        >>> list(store.all())
        [('bob', 2), ('cy', 7)]
        """
        return lru_map_builder(
            check_name(name, _WHAT),
            key,
            value,
            max_entries=max_entries,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def versioned_key_value_store(
        name: str,
        *,
        history_retention: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        segment_interval: Duration | None = None,
        store: EngineChoice = "rocksdb",
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a key-value store, on disk, that keeps old versions for `history_retention`.
        Java: persistentVersionedKeyValueStore.

        >>> store = opened(Stores.versioned_key_value_store("prices", history_retention=hour))
        >>> _ = store.put("tea", 3, 0), store.put("tea", 4, 60_000)
        >>> store.get("tea", as_of=30_000).value
        3
        """
        return versioned_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            history_retention_ms=_milliseconds(name, "history_retention", history_retention),
            segment_interval_ms=None
            if segment_interval is None
            else _milliseconds(name, "segment_interval", segment_interval),
            engine=store,
            logging=logging,
        )

    @staticmethod
    def window_store(
        name: str,
        *,
        retention: Duration,
        window_size: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        store: EngineChoice = "rocksdb",
        retain_duplicates: bool = False,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a window store that lives where `store` says.

        >>> store = opened(Stores.window_store("amounts", retention=hour, window_size=minute))
        >>> store.put("ann", 5, 0)
        >>> store.fetch("ann", 0)
        5
        """
        return window_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            window_size_ms=_milliseconds(name, "window_size", window_size),
            engine=store,
            timestamped=False,
            retain_duplicates=retain_duplicates,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def persistent_window_store(
        name: str,
        *,
        retention: Duration,
        window_size: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        retain_duplicates: bool = False,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a window store that lives on disk, in RocksDB.

        >>> Stores.persistent_window_store("amounts", retention=hour, window_size=minute).engine
        'rocksdb'
        """
        return window_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            window_size_ms=_milliseconds(name, "window_size", window_size),
            timestamped=False,
            retain_duplicates=retain_duplicates,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def in_memory_window_store(
        name: str,
        *,
        retention: Duration,
        window_size: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        retain_duplicates: bool = False,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a window store that lives in memory.

        >>> Stores.in_memory_window_store("amounts", retention=hour, window_size=minute).engine
        'in_memory'
        """
        return window_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            window_size_ms=_milliseconds(name, "window_size", window_size),
            engine="in_memory",
            timestamped=False,
            retain_duplicates=retain_duplicates,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def timestamped_window_store(
        name: str,
        *,
        retention: Duration,
        window_size: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        store: EngineChoice = "rocksdb",
        retain_duplicates: bool = False,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a window store that keeps a time with each value, as those of windowed aggregates
        do.

        >>> amounts = Stores.timestamped_window_store("amounts", retention=hour, window_size=minute)
        >>> store = opened(amounts)
        >>> store.put("ann", ValueAndTimestamp(5, 30_000), 0)
        >>> store.fetch("ann", 0)
        ValueAndTimestamp(value=5, timestamp=30000)
        """
        return window_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            window_size_ms=_milliseconds(name, "window_size", window_size),
            engine=store,
            retain_duplicates=retain_duplicates,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def timestamped_window_store_with_headers(
        name: str,
        *,
        retention: Duration,
        window_size: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        store: EngineChoice = "rocksdb",
        retain_duplicates: bool = False,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a window store that keeps a time and headers with each value.

        >>> store = opened(
        ...     Stores.timestamped_window_store_with_headers(
        ...         "amounts", retention=hour, window_size=minute
        ...     )
        ... )
        >>> store.put("ann", ValueTimestampHeaders(5, 30_000, Headers([("trace", b"1")])), 0)
        >>> store.fetch("ann", 0).headers.last_header("trace")
        b'1'
        """
        return window_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            window_size_ms=_milliseconds(name, "window_size", window_size),
            engine=store,
            headers=True,
            retain_duplicates=retain_duplicates,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def session_store(
        name: str,
        *,
        retention: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        store: EngineChoice = "rocksdb",
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a session store that lives where `store` says.

        >>> store = opened(Stores.session_store("visits", retention=hour))
        >>> store.put(Windowed("ann", 0, 60_000), 5)
        >>> store.fetch_session("ann", 0, 60_000)
        5
        """
        return session_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            engine=store,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def session_store_with_headers(
        name: str,
        *,
        retention: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        store: EngineChoice = "rocksdb",
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a session store that keeps headers with each aggregate.

        >>> store = opened(Stores.session_store_with_headers("visits", retention=hour))
        >>> visit = Windowed("ann", 0, 60_000)
        >>> store.put(visit, AggregationWithHeaders(5, Headers([("trace", b"1")])))
        >>> store.fetch_session("ann", 0, 60_000).headers.last_header("trace")
        b'1'
        """
        return session_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            engine=store,
            headers=True,
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def persistent_session_store(
        name: str,
        *,
        retention: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a session store that lives on disk, in RocksDB.

        >>> Stores.persistent_session_store("visits", retention=hour).engine
        'rocksdb'
        """
        return session_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            caching=caching,
            logging=logging,
        )

    @staticmethod
    def in_memory_session_store(
        name: str,
        *,
        retention: Duration,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
        caching: bool = False,
        logging: Logging = True,
    ) -> StoreBuilder:
        """Ask for a session store that lives in memory.

        >>> Stores.in_memory_session_store("visits", retention=hour).engine
        'in_memory'
        """
        return session_store_builder(
            check_name(name, _WHAT),
            key,
            value,
            retention_ms=_milliseconds(name, "retention", retention),
            engine="in_memory",
            caching=caching,
            logging=logging,
        )


def _milliseconds(name: str, what: str, duration: Duration) -> int:
    try:
        return to_milliseconds(duration, f"store {name!r}: {what}")
    except TypeError as error:
        raise TopologyError(str(error)) from None
