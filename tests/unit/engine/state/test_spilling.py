"""A store goes from memory to another engine when it is large, with all that it holds."""

from __future__ import annotations

import pytest

from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.spilling import SpillingStore


def key(number: int) -> bytes:
    return b"%08d" % number


def test_a_store_that_grows_goes_to_the_large_engine() -> None:
    large: list[MemoryStore] = []

    def open_large() -> MemoryStore:
        large.append(MemoryStore())
        return large[-1]

    store = SpillingStore(open_large, limit_bytes=4_000_000)
    store.write({key(number): b"old" for number in range(10_000)}, 7)
    assert not large
    begun = store.scan(key(0), None, reverse=False)
    next(begun)
    store.write({key(number): b"new" for number in range(5_000, 21_000)}, 8)
    assert len(large) == 1
    assert (store.get(key(1)), store.get(key(20_999))) == (b"old", b"new")
    assert store.changelog_offset() == large[0].changelog_offset() == 8
    assert store.approximate_num_entries() == large[0].approximate_num_entries() == 21_000
    assert sum(1 for _ in begun) == 9_999, "a scan sees the entries of its beginning"
    store.write({key(1): None}, None)
    assert [value for _, value in store.collect(key(0), key(2))] == [b"old"]
    assert len(large) == 1


def test_what_replaces_itself_stays_in_memory() -> None:
    store = SpillingStore(lambda: 1 // 0, limit_bytes=10_000)  # type: ignore[arg-type,return-value]
    for number in range(2_000):
        store.write({key(number % 7): key(number)}, None)
    assert store.approximate_num_entries() == 7


def test_small_entries_before_large_ones_do_not_keep_them_in_memory() -> None:
    large: list[MemoryStore] = []

    def open_large() -> MemoryStore:
        large.append(MemoryStore())
        return large[-1]

    store = SpillingStore(open_large, limit_bytes=1_000_000)
    store.write({key(number): b"" for number in range(100)}, None)
    for number in range(100, 115):
        store.write({key(number): bytes(100_000)}, None)
    assert len(large) == 1
    assert store.approximate_num_entries() == 115


def test_an_engine_that_cannot_take_it_all_is_closed() -> None:
    class Full(MemoryStore):
        closed = False

        def write(self, *_: object) -> None:
            raise TimeoutError

        def close(self) -> None:
            self.closed = True

    full = Full()
    store = SpillingStore(lambda: full, limit_bytes=1000)
    with pytest.raises(TimeoutError):
        store.write({key(number): b"value" for number in range(100)}, None)
    assert full.closed
    assert store.get(key(7)) == b"value"
