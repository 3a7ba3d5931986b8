"""Java's PriorityQueue: not only the order, the ties too."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import example, given
from hypothesis import strategies as st

from penstock._engine.runtime.input.java_heap import JavaHeap


@dataclass(eq=False)
class Item:
    """Something with a time, and a name to tell it from others of that time."""

    timestamp: int
    name: int


class SwappingHeap:
    """java.util.PriorityQueue in other words: one-based, and every move is a swap of neighbours."""

    def __init__(self) -> None:
        self.slots: list[Item] = []

    def at(self, place: int) -> int:
        return self.slots[place - 1].timestamp

    def swap(self, one: int, other: int) -> None:
        slots = self.slots
        slots[one - 1], slots[other - 1] = slots[other - 1], slots[one - 1]

    def push(self, item: Item) -> None:
        self.slots.append(item)
        place = len(self.slots)
        while place > 1 and self.at(place) < self.at(place // 2):
            self.swap(place, place // 2)
            place //= 2

    def pop(self) -> Item:
        self.swap(1, len(self.slots))
        smallest = self.slots.pop()
        place = 1
        while (child := self.smaller_child(place)) is not None and self.at(child) < self.at(place):
            self.swap(place, child)
            place = child
        return smallest

    def smaller_child(self, place: int) -> int | None:
        children = [child for child in (2 * place, 2 * place + 1) if child <= len(self.slots)]
        return min(children, key=self.at, default=None)  # the left one if they are equal


@given(st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=60))
def test_every_pop_is_java_s(steps: list[int | None]) -> None:
    """A number pushes an item of that time, None pops."""
    ours: JavaHeap[Item] = JavaHeap()
    java = SwappingHeap()
    for name, step in enumerate(steps):
        if step is not None:
            item = Item(step, name)
            ours.push(item)
            java.push(item)
        elif java.slots:
            assert ours.peek() is java.slots[0]
            assert ours.pop() is java.pop()
        assert len(ours) == len(java.slots)


@given(st.lists(st.integers(0, 2), max_size=40))
@example([0, 1, 1, 2])
def test_a_full_heap_empties_as_java_s(times: list[int]) -> None:
    ours: JavaHeap[Item] = JavaHeap()
    java = SwappingHeap()
    for name, time in enumerate(times):
        ours.push(Item(time, name))
        java.push(Item(time, name))
    assert [ours.pop().name for _ in times] == [java.pop().name for _ in times]


def test_an_empty_heap_has_nothing_to_show() -> None:
    assert JavaHeap[Item]().peek() is None


def test_of_equal_items_the_last_pushed_is_the_second_to_leave() -> None:
    """The tie that users see: with three topics of equal times Java takes the third one second."""
    heap: JavaHeap[Item] = JavaHeap()
    for name in range(3):
        heap.push(Item(5, name))
    assert [heap.pop().name for _ in range(3)] == [0, 2, 1]
