"""An ordered map in memory: a dict for lookups, and its keys in order from the first scan on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from threading import Lock
from weakref import WeakSet

from penstock._engine.state.contract import KeyRange
from penstock._engine.state.sorted_keys import SortedKeys
from penstock.errors import StateClosedError

_SAMPLED = 100


class MemoryStore:
    """A StoreEngine that ends with its process.

    One thread writes, any may read. Scans see the entries of their beginning: if one is alive, the
    first write after it changes a copy of the dict and then puts it in the place of the old one.
    """

    __slots__ = ("_changelog_offset", "_lock", "_order", "_scans", "_title", "_values")

    def __init__(self, title: str = "a store in memory") -> None:
        self._title = title
        """Its name in messages."""
        self._values: dict[bytes, bytes] = {}
        self._changelog_offset: int | None = None
        self._order: SortedKeys | None = None  # a store that is never scanned needs no order
        self._scans: WeakSet[Iterator[tuple[bytes, bytes]]] = WeakSet()
        """Those that read the dict of now."""
        self._lock = Lock()

    def get(self, key: bytes) -> bytes | None:
        try:
            return self._values.get(key)
        except AttributeError:
            raise self._closed() from None

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        with self._lock:
            values = self._open_values()
            if self._order is None:
                self._order = SortedKeys(values)
            keys = self._order.between(start, end)
            entries = _entries(reversed(keys) if reverse else keys, values)
            self._scans.add(entries)
        return entries

    def collect(self, start: bytes, end: bytes) -> list[tuple[bytes, bytes]]:
        with self._lock:
            values = self._open_values()
            if self._order is None:
                self._order = SortedKeys(values)
            return [(key, values[key]) for key in self._order.between(start, end)]

    def unordered(self) -> Iterator[tuple[bytes, bytes]]:
        """Return the entries in any order, which needs no sorted keys; nothing may be written while
        they are iterated.
        """
        return iter(self._open_values().items())

    def approximate_num_entries(self) -> int:
        return len(self._open_values())

    def approximate_bytes(self) -> int:
        """Return about how many bytes keys and values have, by those of a few."""
        with self._lock:
            values = self._open_values()
            sample = list(islice(values.items(), _SAMPLED))
            count = len(values)
        size = sum(len(key) + len(value) for key, value in sample)
        return size * count // max(1, len(sample))

    def total_bytes(self) -> int:
        """Return how many bytes keys and values have; looks at all of them."""
        with self._lock:
            values = self._open_values()
            return sum(map(len, values)) + sum(map(len, values.values()))

    def write(
        self,
        changes: Mapping[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[KeyRange] = (),
    ) -> None:
        with self._lock:
            values = self._open_values()
            has_scans = bool(self._scans)
            if has_scans:
                values = values.copy()
            if self._order is not None:
                _reorder(self._order, values, changes)
            for key, value in changes.items():
                if value is not None:
                    values[key] = value
                else:
                    values.pop(key, None)
            if dropped:
                self._drop(values, dropped)
            self._values = values
            if has_scans:
                self._scans = WeakSet()  # those hold the old dict
            if changelog_offset is not None:
                self._changelog_offset = changelog_offset

    def changelog_offset(self) -> int | None:
        self._open_values()
        return self._changelog_offset

    def close(self) -> None:
        with self._lock:
            if hasattr(self, "_values"):
                del self._values
            self._order = None

    def _drop(self, values: dict[bytes, bytes], ranges: Sequence[KeyRange]) -> None:
        if self._order is None:
            self._order = SortedKeys(values)
        for start, end in ranges:
            for key in self._order.remove_between(start, end):
                del values[key]

    def _open_values(self) -> dict[bytes, bytes]:
        try:
            return self._values
        except AttributeError:
            raise self._closed() from None

    def _closed(self) -> StateClosedError:
        return StateClosedError(f"{self._title} was used after it was closed")


def _entries(keys: Iterable[bytes], values: Mapping[bytes, bytes]) -> Iterator[tuple[bytes, bytes]]:
    for key in keys:
        yield key, values[key]


def _reorder(
    order: SortedKeys, values: Mapping[bytes, bytes], changes: Mapping[bytes, bytes | None]
) -> None:
    for key, value in changes.items():
        if (key in values) is not (value is not None):
            if value is None:
                order.remove(key)
            else:
                order.add(key)
