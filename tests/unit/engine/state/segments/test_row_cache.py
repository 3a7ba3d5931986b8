"""The cache of rows. What is read through it is in tests/stores, and against Java in the
conformance cases `window_store_*` and `session_store_*`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from random import Random
from typing import Any

import pytest

from penstock import serdes
from penstock._engine.runtime.position import Position
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.segments import row_cache
from penstock._engine.state.segments.row_cache import CachedRows
from penstock._engine.state.segments.rows import RowPlace, Rows, pack_segment
from penstock._engine.state.segments.window_rows import WindowRows
from penstock.stores import EngineChoice
from penstock.stores._builders import window_store_builder

TAIL = 12


def row_key(key: bytes, time: int) -> bytes:
    return pack_segment(0) + key + pack_segment(time) + bytes(4)


def cached_rows(limit_bytes: int = 10_000_000) -> CachedRows:
    builder = window_store_builder(
        "s", serdes.string(), serdes.string(), retention_ms=60_000, window_size_ms=1
    )
    overlay, budget = Overlay(MemoryStore()), CacheBudget(limit_bytes)
    place = RowPlace(overlay, None, lambda: None, budget, Position())
    return CachedRows(Rows(place, builder, 4, None, sees_oldest=False), place, TAIL)


def put(cache: CachedRows, *rows: tuple[bytes, int, bytes | None]) -> None:
    for key, time, row in rows:
        cache.write(row_key(key, time), row, 0, ())


def times_of(cache: CachedRows, key: bytes) -> list[Any]:
    return [
        (int.from_bytes(found[-TAIL:-4], "big"), row)
        for found, row in cache.of_key(key, row_key(key, 0), None, reverse=False)
    ]


def test_the_rows_of_a_key_are_found_deleted_ones_too() -> None:
    cache = cached_rows()
    assert times_of(cache, b"a") == []
    put(cache, (b"b", 1, b"x"), (b"a", 9, b"y"), (b"a", 3, b"z"))
    assert times_of(cache, b"a") == [(3, b"z"), (9, b"y")]
    put(cache, (b"a", 9, None), (b"a", 5, b"w"))
    assert times_of(cache, b"a") == [(3, b"z"), (5, b"w"), (9, None)]
    cache.flush()
    assert times_of(cache, b"a") == [(3, b"z"), (5, b"w")]


def test_only_the_rows_in_question_are_found_and_used() -> None:
    cache = cached_rows()
    put(cache, *((b"a", time, b"x") for time in (5, 1, 9, 3, 7)), (b"b", 4, b"x"))
    first, behind = row_key(b"a", 3), row_key(b"a", 8)
    found = [key for key, _ in cache.of_key(b"a", first, behind, reverse=True)]
    assert found == [row_key(b"a", time) for time in (7, 5, 3)]
    assert cache.entries.in_order_of_use()[-3:] == found
    assert cache.of_key(b"a", row_key(b"a", 10), None, reverse=False) == []


def test_what_is_read_does_not_stay() -> None:
    cache = cached_rows()
    put(cache, (b"a", 1, b"x"))
    cache.flush()
    cache.clear()
    assert cache.get(row_key(b"a", 1)) == b"x"
    assert times_of(cache, b"a") == []


def test_rows_that_have_given_way_are_forgotten(monkeypatch: Any) -> None:
    monkeypatch.setattr(row_cache, "_GONE_MAX", 3)
    cache = cached_rows(limit_bytes=200)
    for time in range(20):
        put(cache, (b"a", time, b"x"))
        kept = [time for time, _ in times_of(cache, b"a")]
        assert kept == [at for at in range(20) if row_key(b"a", at) in cache.entries]
        put(cache, (b"b", time, b"x"))
        assert cache._remembered <= 2 * len(cache.entries) + 4


def test_rows_count_as_used_when_the_iterator_comes_to_them() -> None:
    cache = cached_rows()
    put(cache, *((b"a", time, b"x") for time in (1, 3, 5, 7)), (b"b", 4, b"x"))
    keys = [row_key(b"a", time) for time in (7, 5, 3, 1)]
    # The row of 6 is only in the store: the cached one behind it is looked for before.
    rows = [(row_key(b"a", time), b"x") for time in (7, 6, 5)]
    found = cache.used_in_turn(rows, keys, {keys[0], keys[1]})

    def used(count: int) -> list[bytes]:
        return cache.entries.in_order_of_use()[-count:]

    assert next(found) == rows[0]
    assert used(2) == [row_key(b"b", 4), keys[0]]
    assert next(found) == rows[1]
    assert used(2) == keys[:2]
    assert next(found) == rows[2]
    assert used(2) == keys[:2]
    # What is behind the range is passed at the end.
    assert list(found) == []
    assert used(4) == keys


def test_a_row_that_gave_way_meanwhile_is_yielded_but_not_used() -> None:
    cache = cached_rows()
    put(cache, (b"a", 1, b"x"), (b"a", 2, b"x"))
    keys = [row_key(b"a", 1), row_key(b"a", 2)]
    found = cache.used_in_turn([(key, b"x") for key in keys], keys, set(keys))
    next(found)
    cache.clear()
    assert list(found) == [(keys[1], b"x")]
    assert len(cache.entries) == 0


def test_in_memory_all_keys_are_passed_by_time_unless_there_are_many(monkeypatch: Any) -> None:
    cache = cached_rows()
    put(cache, (b"b", 3, b"x"), (b"a", 5, b"x"), (b"a", 3, b"x"), (b"c", 9, b"x"), (b"b", 9, b"x"))
    passed = cache.passed_in_memory((0, b"b"), (9, b"b"), reverse=True)
    expected = [(b"b", 9), (b"a", 5), (b"b", 3), (b"a", 3)]
    assert passed == [row_key(*place) for place in expected]
    monkeypatch.setattr(row_cache, "_PASSED_MAX", 4)
    assert cache.passed_in_memory((0, b"b"), (9, b"b"), reverse=True) is None


def window_rows(engine: EngineChoice) -> WindowRows:
    builder = window_store_builder(
        "s",
        serdes.string(),
        serdes.string(),
        retention_ms=60_000,
        window_size_ms=1,
        engine=engine,
        caching=True,
    )
    place = RowPlace(
        Overlay(MemoryStore()), None, lambda: None, CacheBudget(10_000_000), Position()
    )
    return WindowRows(builder, place)


@pytest.mark.parametrize("engine", ["rocksdb", "in_memory"])
@pytest.mark.parametrize("reverse", [False, True])
def test_whether_a_row_is_meant_is_not_looked_for_in_a_list(
    engine: EngineChoice, reverse: bool, monkeypatch: Any
) -> None:
    """In a list, each row of a range would be compared with all those before it."""
    given = []
    used_in_turn = CachedRows.used_in_turn

    def spied(cache: CachedRows, rows: Any, row_keys: Any, meant: Any) -> Any:
        given.append(meant)
        return used_in_turn(cache, rows, row_keys, meant)

    monkeypatch.setattr(CachedRows, "used_in_turn", spied)
    windows = window_rows(engine)
    for time in range(50):
        windows.put(b"a", time, b"x", time, ())
        windows.put(b"b", time, b"x", time, ())
    fetch = windows.backward_fetch if reverse else windows.fetch
    starts = [start for start, _ in fetch(b"a", 10, 40)]
    assert starts == sorted(range(10, 41), reverse=reverse)
    assert [(isinstance(meant, AbstractSet), len(meant)) for meant in given] == [(True, 31)]


@pytest.mark.parametrize("limit_bytes", [10_000_000, 2_000])
def test_the_index_by_time_is_that_of_sorting_all_cached_rows(
    limit_bytes: int, monkeypatch: Any
) -> None:
    monkeypatch.setattr(row_cache, "_PLACED_MAX", 60)
    cache, random, made = cached_rows(limit_bytes), Random(7), Counter[str]()
    place_all = CachedRows._place_all

    def counted(cache: CachedRows) -> Any:
        made["made"] += 1
        return place_all(cache)

    monkeypatch.setattr(CachedRows, "_place_all", counted)
    for step in range(400):
        key = random.choice([b"a", b"ab", b"b", b"c"])
        put(cache, (key, random.randrange(10 + step // 4), random.choice([b"x", None])))
        if step % 50 == 49:
            cache.flush()
        bounds = [(random.randrange(110), random.choice([b"a", b"b"])) for _ in range(2)]
        first, last = sorted(bounds)
        placed = sorted(
            ((int.from_bytes(found[-TAIL:-4], "big"), found[8:-TAIL]), found)
            for found in cache.entries.in_order_of_use()
        )
        reverse = bool(step % 2)
        expected = [found for place, found in placed if first <= place <= last]
        if reverse:
            expected.reverse()
        assert cache.passed_in_memory(first, last, reverse=reverse) == expected
    small = limit_bytes < 10_000
    # With few rows in the cache the index is made anew now and then, not with each read.
    assert not small or 1 < made["made"] < 20, made


def test_java_counts_a_byte_more_for_rows_in_the_order_of_time() -> None:
    def used(engine: EngineChoice, order: Any) -> int:
        builder = window_store_builder(
            "s", None, None, retention_ms=60_000, window_size_ms=1, engine=engine, order=order
        )
        budget = CacheBudget(10_000)
        place = RowPlace(Overlay(MemoryStore()), None, lambda: None, budget, Position())
        rows = WindowRows(builder, place)
        rows.put(b"k", 5, b"row", 5, ())
        return budget.used_bytes

    assert used("rocksdb", "time_indexed") == used("rocksdb", "key") + 1
    assert used("in_memory", "time_indexed") == used("in_memory", "key")
