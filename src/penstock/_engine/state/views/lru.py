"""A key-value store of limited size that evicts the least recently used key. Java:
MemoryNavigableLRUCache.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator

from penstock._engine.state.logged import RecordStore
from penstock.record import HeaderPairs


class LimitedStore:
    """A RecordStore over another one, which holds no more than `max_entries` keys. What is evicted
    is deleted there like any other key, or handed to `evict`.
    """

    __slots__ = ("_below", "_evict", "_max_entries", "_used")

    def __init__(
        self,
        below: RecordStore,
        max_entries: int,
        evict: Callable[[bytes], None] | None = None,
    ) -> None:
        self._below = below
        self._max_entries = max_entries
        self._evict = evict
        self._used: OrderedDict[bytes, None] = OrderedDict()
        """The least recently used key first."""

    def get(self, key: bytes) -> bytes | None:
        if key in self._used:
            self._used.move_to_end(key)
        return self._below.get(key)

    def write(self, key: bytes, value: bytes | None, timestamp: int, headers: HeaderPairs) -> None:
        if value is None:
            self._used.pop(key, None)
        else:
            self._used[key] = None
            self._used.move_to_end(key)
            if len(self._used) > self._max_entries:
                oldest, _ = self._used.popitem(last=False)
                if self._evict is None:
                    self._below.write(oldest, None, timestamp, headers)
                else:
                    self._evict(oldest)
        self._below.write(key, value, timestamp, headers)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        return self._below.scan(start, end, reverse=reverse)

    def approximate_num_entries(self) -> int:
        return len(self._used)

    def restored(self, key: bytes, value: bytes | None) -> bytes | None:
        """Apply a change that is restored. Return the key that it evicts, None if none."""
        self._used.pop(key, None)
        if value is not None:
            self._used[key] = None
            if len(self._used) > self._max_entries:
                return self._used.popitem(last=False)[0]
        return None
