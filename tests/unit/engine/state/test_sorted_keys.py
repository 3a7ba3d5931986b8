"""Keys in order, however they come and go."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.state import sorted_keys
from penstock._engine.state.sorted_keys import SortedKeys


def test_nothing_is_between_anything_without_keys() -> None:
    assert SortedKeys(()).between(None, None) == []
    assert SortedKeys(()).between(b"a", b"b") == []


def test_bounds_are_included_below_and_excluded_above() -> None:
    keys = SortedKeys([b"c", b"a", b"b"])
    assert keys.between(b"a", b"c") == [b"a", b"b"]
    assert keys.between(b"b", None) == [b"b", b"c"]
    assert keys.between(None, b"b") == [b"a"]
    assert keys.between(b"c", b"a") == []


def test_what_is_given_is_not_what_is_kept() -> None:
    keys = SortedKeys([b"a"])
    keys.between(None, None).append(b"z")
    assert keys.between(None, None) == [b"a"]


def test_the_last_key_can_go_and_others_come() -> None:
    keys = SortedKeys([b"a"])
    keys.remove(b"a")
    assert keys.between(None, None) == []
    keys.add(b"b")
    assert keys.between(None, None) == [b"b"]


@given(
    st.sets(st.binary(max_size=2)),
    st.lists(st.binary(max_size=2), max_size=60),
    st.none() | st.binary(max_size=2),
    st.none() | st.binary(max_size=2),
)
def test_it_is_a_sorted_set(
    first: set[bytes], toggled: list[bytes], start: bytes | None, end: bytes | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_keys, "_LIST_LENGTH", 3)  # so that lists are split and emptied
        keys, model = SortedKeys(first), set(first)
        for key in toggled:
            if key in model:
                keys.remove(key)
                model.remove(key)
            else:
                keys.add(key)
                model.add(key)
        assert keys.between(None, None) == sorted(model)
        assert keys.between(start, end) == [
            key
            for key in sorted(model)
            if (start is None or key >= start) and (end is None or key < end)
        ]


@given(
    st.sets(st.binary(max_size=2)),
    st.lists(st.tuples(st.binary(max_size=2), st.binary(max_size=2))),
)
def test_a_range_can_go_at_once(first: set[bytes], ranges: list[tuple[bytes, bytes]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_keys, "_LIST_LENGTH", 3)
        keys, model = SortedKeys(first), set(first)
        for start, end in ranges:
            expected = sorted(key for key in model if start <= key < end)
            assert keys.remove_between(start, end) == expected
            model.difference_update(expected)
            assert keys.between(None, None) == sorted(model)
            if start not in model:
                keys.add(start)
                model.add(start)


def test_many_keys_in_any_order() -> None:
    chance = Random(1)
    names = [b"%05d" % number for number in range(5_000)]
    shuffled = chance.sample(names, len(names))
    keys = SortedKeys(shuffled[:100])
    for key in shuffled[100:]:
        keys.add(key)
    for key in shuffled[2_500:]:
        keys.remove(key)
    assert keys.between(None, None) == sorted(shuffled[:2_500])
