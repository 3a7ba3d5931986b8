"""Java's TreeSet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.topology.description.tree_set import TreeSet


def compare(one: int, other: int) -> int:
    return one - other


@given(st.lists(st.integers(-50, 50)))
def test_with_an_order_that_stays_it_is_a_sorted_set(items: list[int]) -> None:
    tree = TreeSet(compare)
    for item in items:
        tree.add(item)
    assert list(tree) == sorted(set(items))


@given(st.permutations(range(20)))
def test_the_order_of_addition_does_not_matter_then(items: list[int]) -> None:
    tree: TreeSet[int] = TreeSet(lambda one, other: compare(other, one))
    for item in items:
        tree.add(item)
    assert list(tree) == sorted(items, reverse=True)


def test_no_path_is_more_than_twice_as_long_as_another() -> None:
    """The shape is a red-black tree's: adding in order does not make a list of it."""
    asked: list[tuple[int, int]] = []

    def counting(one: int, other: int) -> int:
        asked.append((one, other))
        return one - other

    tree = TreeSet(counting)
    for item in range(1000):
        tree.add(item)
    asked.clear()
    tree.add(1000)
    assert len(asked) <= 20


def test_an_item_lands_where_comparing_leads_it_now() -> None:
    """What `describe()` rests on: the order may have changed since the others were added."""
    weight = {"a": 1, "b": 2, "c": 3}
    tree: TreeSet[str] = TreeSet(lambda one, other: weight[one] - weight[other])
    for name in "abc":
        tree.add(name)  # b is the root now
    weight.update(d=4, c=9, b=5)
    tree.add("d")  # smaller than b now, greater than a
    assert list(tree) == ["a", "d", "b", "c"]
    weight.update(a=7)
    assert list(tree) == ["a", "d", "b", "c"]
