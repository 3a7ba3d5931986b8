"""Keys in the order of their unsigned bytes, for engines that keep their values in a dict.

A tree of two levels: short sorted lists, and the last key of each. One sorted list of a million
keys would move half a million pointers for each new key.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from itertools import chain

# Long enough that there are few lists, short enough that an insert is cheap.
_LIST_LENGTH = 1_000


class SortedKeys:
    """A sorted set of keys; callers know which keys it holds."""

    __slots__ = ("_lasts", "_lists")

    def __init__(self, keys: Iterable[bytes]) -> None:
        ordered = sorted(keys)
        self._lists = _split(ordered)
        self._lasts = [keys[-1] for keys in self._lists]

    def add(self, key: bytes) -> None:
        """Add a key that is not in the set."""
        if not self._lists:
            self._lists, self._lasts = [[key]], [key]
            return
        index = min(bisect_left(self._lasts, key), len(self._lists) - 1)
        keys = self._lists[index]
        insort(keys, key)
        if len(keys) > 2 * _LIST_LENGTH:
            self._replace(index, _split(keys))
        else:
            self._lasts[index] = keys[-1]

    def remove(self, key: bytes) -> None:
        """Remove a key that is in the set."""
        index = bisect_left(self._lasts, key)
        keys = self._lists[index]
        del keys[bisect_left(keys, key)]
        self._replace(index, [keys] if keys else [])

    def remove_between(self, start: bytes, end: bytes) -> list[bytes]:
        """Remove the keys from `start` (included) to `end` (excluded), and return them."""
        removed = self.between(start, end)
        if removed:
            first = bisect_left(self._lasts, start)
            last = min(bisect_left(self._lasts, end), len(self._lists) - 1)
            kept = [
                *self._lists[first][: bisect_left(self._lists[first], start)],
                *self._lists[last][bisect_left(self._lists[last], end) :],
            ]
            lists = _split(kept)
            self._lists[first : last + 1] = lists
            self._lasts[first : last + 1] = [keys[-1] for keys in lists]
        return removed

    def between(self, start: bytes | None, end: bytes | None) -> list[bytes]:
        """Return the keys from `start` (included) to `end` (excluded), None for no bound."""
        if start is not None and end is not None and start >= end:
            return []
        lists = self._lists
        first = 0 if start is None else bisect_left(self._lasts, start)
        last = len(lists) if end is None else bisect_left(self._lasts, end) + 1
        found = lists[first:last]
        if not found:
            return []
        begin = 0 if start is None else bisect_left(found[0], start)
        stop = len(found[-1]) if end is None else bisect_left(found[-1], end)
        if len(found) == 1:
            return found[0][begin:stop]
        return [*found[0][begin:], *chain.from_iterable(found[1:-1]), *found[-1][:stop]]

    def _replace(self, index: int, lists: list[list[bytes]]) -> None:
        self._lists[index : index + 1] = lists
        self._lasts[index : index + 1] = [keys[-1] for keys in lists]


def _split(keys: list[bytes]) -> list[list[bytes]]:
    return [keys[at : at + _LIST_LENGTH] for at in range(0, len(keys), _LIST_LENGTH)]
