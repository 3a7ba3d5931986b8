"""Stores that write each change to their changelog topic too, where they have one. Java:
ChangeLoggingKeyValueBytesStore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from penstock._engine.state.contract import BytesStore
from penstock.record import HeaderPairs

Write: TypeAlias = Callable[[bytes, bytes | None, int, HeaderPairs], None]
"""`write(key, value, timestamp, headers)`: set the value of a key, or delete it (None). Time and
headers are those of the record in hand.
"""
Log: TypeAlias = Callable[[bytes, bytes | None, int, HeaderPairs], None]
"""`log(key, value, timestamp, headers)`: write a changelog record; most have no headers."""
LogWithoutTime: TypeAlias = Callable[[bytes, bytes | None, HeaderPairs], None]
"""`log(key, value, headers)`: write a changelog record, as the value holds the time itself."""


class RecordStore(Protocol):
    """A store of bytes; each write is on behalf of a record."""

    @property
    def get(self) -> Callable[[bytes], bytes | None]: ...
    @property
    def write(self) -> Write: ...
    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]: ...
    def approximate_num_entries(self) -> int: ...


class LoggedStore:
    """A RecordStore over a BytesStore; `log` is None if it has no changelog.

    Its functions are chosen once, so that a write has no branch and no extra call.
    """

    __slots__ = ("_store", "get", "log", "put", "write")

    def __init__(self, store: BytesStore, log: Log | None) -> None:
        self._store = store
        self.get = store.get
        self.put = store.put
        """`write` of a value without the changelog."""
        self.log = log
        self.write: Write = _unlogged(store) if log is None else _logged(store, log)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        return self._store.scan(start, end, reverse=reverse)

    def approximate_num_entries(self) -> int:
        return self._store.approximate_num_entries()


def _logged(store: BytesStore, log: Log) -> Write:
    put, delete = store.put, store.delete

    def write(key: bytes, value: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
        if value is None:
            delete(key)
        else:
            put(key, value)
        log(key, value, timestamp, headers)

    return write


def _unlogged(store: BytesStore) -> Write:
    put, delete = store.put, store.delete

    def write(key: bytes, value: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
        if value is None:
            delete(key)
        else:
            put(key, value)

    return write
