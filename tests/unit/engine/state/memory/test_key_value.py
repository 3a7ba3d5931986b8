"""What is the memory engine's own business; its behaviour is in tests/stores."""

from __future__ import annotations

from penstock._engine.state.memory.key_value import MemoryStore


def test_a_scan_outlives_the_store() -> None:
    store = MemoryStore()
    store.write({b"a": b"1", b"b": b"2"}, 1)
    scan = store.scan(None, None, reverse=False)
    store.close()
    assert list(scan) == [(b"a", b"1"), (b"b", b"2")]


def test_scans_that_have_ended_do_not_make_writes_copy() -> None:
    store = MemoryStore()
    store.write({b"a": b"1"}, 1)
    for _ in store.scan(None, None, reverse=False):
        store.write({b"b": b"2"}, 2)
    values = store._values
    store.write({b"c": b"3"}, 3)
    assert store._values is values


def test_a_scan_that_is_alive_makes_a_write_copy() -> None:
    store = MemoryStore()
    store.write({b"a": b"1"}, 1)
    scan = store.scan(None, None, reverse=False)
    values = store._values
    store.write({b"a": None}, 2)
    assert values == {b"a": b"1"}
    assert list(scan) == [(b"a", b"1")]


def test_a_scan_that_is_alive_makes_one_write_copy_and_no_more() -> None:
    store = MemoryStore()
    store.write({b"a": b"1"}, 1)
    first = store.scan(None, None, reverse=False)
    store.write({b"b": b"2"}, 2)
    values = store._values
    store.write({b"c": b"3"}, 3)
    assert store._values is values
    second = store.scan(None, None, reverse=False)
    store.write({b"a": None}, 4)
    assert store._values is not values
    assert list(first) == [(b"a", b"1")]
    assert [key for key, _ in second] == [b"a", b"b", b"c"]
