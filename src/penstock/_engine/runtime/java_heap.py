"""A priority queue with the very ties of Java's: which of two equal records comes first is then the same.

`heapq` moves elements along other paths, so equal elements would leave it in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class JavaHeap(Generic[T]):
    """A binary heap ordered by `key(item)`, smallest first. Java: PriorityQueue."""

    __slots__ = ("_items", "_key")

    def __init__(self, key: Callable[[T], int]) -> None:
        self._items: list[T] = []
        self._key = key

    def __len__(self) -> int:
        return len(self._items)

    def peek(self) -> T | None:
        """Give the smallest item without taking it, or None."""
        return self._items[0] if self._items else None

    def push(self, item: T) -> None:
        """Put in an item."""
        items, key = self._items, self._key
        items.append(item)
        index, weight = len(items) - 1, key(item)
        while index > 0:
            parent = (index - 1) // 2
            if weight >= key(items[parent]):
                break
            items[index] = items[parent]
            index = parent
        items[index] = item

    def pop(self) -> T:
        """Take the smallest item."""
        items, key = self._items, self._key
        smallest, last = items[0], items.pop()
        count = len(items)
        if not count:
            return smallest
        index, weight = 0, key(last)
        while index < count // 2:
            child = 2 * index + 1
            if child + 1 < count and key(items[child]) > key(items[child + 1]):
                child += 1
            if weight <= key(items[child]):
                break
            items[index] = items[child]
            index = child
        items[index] = last
        return smallest
