"""A priority queue that breaks ties as Java's PriorityQueue does.

`heapq` moves elements along other paths: equal elements would leave it in another order.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar


class Stamped(Protocol):
    """Anything with a timestamp."""

    @property
    def timestamp(self) -> int: ...


T = TypeVar("T", bound=Stamped)


class JavaHeap(Generic[T]):
    """A binary heap ordered by timestamp, smallest first. Java: PriorityQueue.

    The order is that of the timestamps at the time of `push`.
    """

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[tuple[int, T]] = []
        """(timestamp at the push, item), as a heap."""

    def __len__(self) -> int:
        return len(self.items)

    def peek(self) -> T | None:
        """Return the smallest item without taking it, or None."""
        return self.items[0][1] if self.items else None

    def push(self, item: T) -> None:
        """Put in an item."""
        items, timestamp = self.items, item.timestamp
        stamped = timestamp, item
        index = len(items)
        items.append(stamped)
        while index > 0:
            parent = (index - 1) // 2
            if timestamp >= items[parent][0]:
                break
            items[index] = items[parent]
            index = parent
        items[index] = stamped

    def pop(self) -> T:
        """Take the smallest item."""
        items = self.items
        last = items.pop()
        count = len(items)
        if not count:
            return last[1]
        smallest, index = items[0], 0
        while index < count // 2:
            child = 2 * index + 1
            if child + 1 < count and items[child][0] > items[child + 1][0]:
                child += 1
            if last[0] <= items[child][0]:
                break
            items[index] = items[child]
            index = child
        items[index] = last
        return smallest[1]
