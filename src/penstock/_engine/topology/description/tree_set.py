"""Java's TreeSet, insertion only: `describe()` depends on the very shape of its tree.

Java keeps the neighbours of a node in a sorted set, and compares them by subtree sizes that grow
while the set is filled. The position of a new name therefore depends on the elements with which it
is compared, that is, on the shape of the red-black tree; a sorted list would order it differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class _Entry(Generic[T]):
    __slots__ = ("black", "item", "left", "parent", "right")

    def __init__(self, item: T, parent: _Entry[T] | None) -> None:
        self.item = item
        self.parent = parent
        self.left: _Entry[T] | None = None
        self.right: _Entry[T] | None = None
        self.black = True


class TreeSet(Generic[T]):
    """A red-black tree ordered by `compare(a, b)`: negative, zero (already there) or positive."""

    def __init__(self, compare: Callable[[T, T], int]) -> None:
        self._compare = compare
        self._root: _Entry[T] | None = None

    def add(self, item: T) -> None:
        """Insert `item`; its position depends on the comparisons at this time."""
        entry, parent, side = self._root, None, 0
        while entry is not None:
            parent, side = entry, self._compare(item, entry.item)
            if side == 0:
                return
            entry = entry.left if side < 0 else entry.right
        added = _Entry(item, parent)
        if parent is None:
            self._root = added
        elif side < 0:
            parent.left = added
        else:
            parent.right = added
        self._rebalance(added)

    def __iter__(self) -> Iterator[T]:
        return _in_order(self._root)

    def _rebalance(self, entry: _Entry[T]) -> None:
        entry.black = False
        while entry.parent is not None and not entry.parent.black:
            parent, grandparent = entry.parent, entry.parent.parent
            assert grandparent is not None  # a red parent is never the root
            uncle = grandparent.right if parent is grandparent.left else grandparent.left
            if uncle is not None and not uncle.black:
                parent.black = uncle.black = True
                grandparent.black = False
                entry = grandparent
                continue
            parent_is_left = parent is grandparent.left
            if (entry is parent.left) != parent_is_left:
                self._rotate(parent, to_left=parent_is_left)
                entry, parent = parent, entry
            parent.black = True
            grandparent.black = False
            self._rotate(grandparent, to_left=not parent_is_left)
        assert self._root is not None
        self._root.black = True

    def _rotate(self, entry: _Entry[T], *, to_left: bool) -> None:
        child = entry.right if to_left else entry.left
        assert child is not None
        moved = child.left if to_left else child.right
        if to_left:
            entry.right, child.left = moved, entry
        else:
            entry.left, child.right = moved, entry
        if moved is not None:
            moved.parent = entry
        self._replace(entry, child)
        entry.parent = child

    def _replace(self, entry: _Entry[T], child: _Entry[T]) -> None:
        child.parent = entry.parent
        if entry.parent is None:
            self._root = child
        elif entry is entry.parent.left:
            entry.parent.left = child
        else:
            entry.parent.right = child


def _in_order(entry: _Entry[T] | None) -> Iterator[T]:
    if entry is not None:
        yield from _in_order(entry.left)
        yield entry.item
        yield from _in_order(entry.right)
