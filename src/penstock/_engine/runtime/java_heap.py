"""A priority queue with the very ties of Java's: which of two equal items comes first is the same.

`heapq` moves elements along other paths, so equal elements would leave it in another order.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar


class Stamped(Protocol):
    """Anything that has its time."""

    @property
    def timestamp(self) -> int: ...


T = TypeVar("T", bound=Stamped)


class JavaHeap(Generic[T]):
    """A binary heap ordered by timestamp, smallest first. Java: PriorityQueue."""

    __slots__ = ("_items",)

    def __init__(self) -> None:
        self._items: list[T] = []

    def __len__(self) -> int:
        return len(self._items)

    def peek(self) -> T | None:
        """Give the smallest item without taking it, or None."""
        return self._items[0] if self._items else None

    def push(self, item: T) -> None:
        """Put in an item."""
        items = self._items
        index = len(items)
        items.append(item)
        while index > 0:
            parent = (index - 1) // 2
            if item.timestamp >= items[parent].timestamp:
                break
            items[index] = items[parent]
            index = parent
        items[index] = item

    def pop(self) -> T:
        """Take the smallest item."""
        items = self._items
        last = items.pop()
        count = len(items)
        if not count:
            return last
        smallest, index = items[0], 0
        while index < count // 2:
            child = 2 * index + 1
            if child + 1 < count and items[child].timestamp > items[child + 1].timestamp:
                child += 1
            if last.timestamp <= items[child].timestamp:
                break
            items[index] = items[child]
            index = child
        items[index] = last
        return smallest
