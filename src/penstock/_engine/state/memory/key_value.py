"""An ordered map in memory: a dict for lookups, a sorted list of keys for scans."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator


class MemoryStore:
    """A BytesStore in memory."""

    __slots__ = ("_keys", "_values")

    def __init__(self) -> None:
        self._values: dict[bytes, bytes] = {}
        self._keys: list[bytes] = []

    def get(self, key: bytes) -> bytes | None:
        return self._values.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        if key not in self._values:
            insort(self._keys, key)
        self._values[key] = value

    def delete(self, key: bytes) -> None:
        if self._values.pop(key, None) is not None:
            del self._keys[bisect_left(self._keys, key)]

    def __len__(self) -> int:
        return len(self._values)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        first = 0 if start is None else bisect_left(self._keys, start)
        last = len(self._keys) if end is None else bisect_left(self._keys, end)
        keys = self._keys[first:last]  # a copy: the store may change while the caller iterates
        values = self._values
        return iter([(key, values[key]) for key in (reversed(keys) if reverse else keys)])
