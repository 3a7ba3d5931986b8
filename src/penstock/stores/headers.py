"""Stores that keep the headers of records with their values. Java: KIP-1271."""

from __future__ import annotations

from typing import Generic, NamedTuple, Protocol, TypeVar

from penstock.record import Headers
from penstock.stores.types import KeyValueStore, SessionStore, WindowStore

__all__ = [
    "AggregationWithHeaders",
    "SessionStoreWithHeaders",
    "TimestampedKeyValueStoreWithHeaders",
    "TimestampedWindowStoreWithHeaders",
    "ValueTimestampHeaders",
]

K = TypeVar("K")
V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)


class ValueTimestampHeaders(NamedTuple, Generic[V_co]):
    """A value, and time and headers of the record that made it. Java: ValueTimestampHeaders.

    >>> ValueTimestampHeaders(5, 60_000, Headers([("trace", b"1")])).headers
    Headers([('trace', b'1')])
    """

    value: V_co
    timestamp: int
    headers: Headers


class AggregationWithHeaders(NamedTuple, Generic[V_co]):
    """The aggregate of a session, and headers. Java: AggregationWithHeaders.

    >>> AggregationWithHeaders(5, Headers([("trace", b"1")])).aggregation
    5
    """

    aggregation: V_co
    headers: Headers


class TimestampedKeyValueStoreWithHeaders(
    KeyValueStore[K, ValueTimestampHeaders[V]], Protocol[K, V]
):
    """A map from keys to values with their times and headers. Java:
    TimestampedKeyValueStoreWithHeaders.

    >>> orders = Stores.timestamped_key_value_store_with_headers("last", key=text, value=number)
    >>> store = opened(orders)
    >>> store.put("ann", ValueTimestampHeaders(5, 60_000, Headers([("trace", b"1")])))
    >>> store.get("ann")
    ValueTimestampHeaders(value=5, timestamp=60000, headers=Headers([('trace', b'1')]))
    """


class TimestampedWindowStoreWithHeaders(WindowStore[K, ValueTimestampHeaders[V]], Protocol[K, V]):
    """A map from keys and the starts of windows to values with their times and headers. Java:
    TimestampedWindowStoreWithHeaders.

    >>> amounts = Stores.timestamped_window_store_with_headers(
    ...     "amounts", retention=hour, window_size=minute
    ... )
    >>> store = opened(amounts)
    >>> store.put("ann", ValueTimestampHeaders(5, 30_000, Headers()), 0)
    >>> store.fetch("ann", 0)
    ValueTimestampHeaders(value=5, timestamp=30000, headers=Headers([]))
    """


class SessionStoreWithHeaders(SessionStore[K, AggregationWithHeaders[V]], Protocol[K, V]):
    """A map from keys and sessions to aggregates with headers. Java: SessionStoreWithHeaders.

    >>> store = opened(Stores.session_store_with_headers("visits", retention=hour))
    >>> store.put(Windowed("ann", 0, 60_000), AggregationWithHeaders(5, Headers()))
    >>> store.fetch_session("ann", 0, 60_000)
    AggregationWithHeaders(aggregation=5, headers=Headers([]))
    """
