"""The store of the subscriptions of a foreign-key join: like a table's, but its changelog records
have the headers of the records behind them, as Java's have. Java: SubscriptionStoreFactory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from penstock._engine.state.codec import TIMESTAMP_BYTES, timestamp_of
from penstock._engine.state.contract import BytesStore
from penstock.record import HeaderPairs

LogWithHeaders: TypeAlias = Callable[[bytes, bytes | None, int, HeaderPairs], None]
"""`log(key, value, timestamp, headers)`: write a changelog record."""


class SubscriptionStore:
    """A RecordStore over a BytesStore whose values begin with their time."""

    __slots__ = ("_log", "_store", "get")

    def __init__(self, store: BytesStore, log: LogWithHeaders) -> None:
        self._store = store
        self._log = log
        self.get = store.get

    def write(self, key: bytes, value: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
        if value is None:
            self._store.delete(key)
            self._log(key, None, timestamp, headers)
        else:
            self._store.put(key, value)
            self._log(key, value[TIMESTAMP_BYTES:], timestamp_of(value), headers)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        return self._store.scan(start, end, reverse=reverse)

    def approximate_num_entries(self) -> int:
        return self._store.approximate_num_entries()
