"""Rows of windows and sessions: what is too old, what is dropped with which commit, what goes on
after a restart. What is read is in tests/stores.
"""

from __future__ import annotations

import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penstock import serdes
from penstock._engine.runtime.position import Position
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay, Reserve
from penstock._engine.state.segments.rows import (
    CLOCK_KEY,
    RowPlace,
    Rows,
    of_key,
    pack_segment,
    time_first,
    time_of_index,
)
from penstock.stores._builders import window_store_builder
from tests.unit.engine.state.test_overlay import CountingReads

MINUTE = 60_000
REST = bytes(4)


def row_key(key: bytes, time: int) -> bytes:
    return pack_segment(time // MINUTE) + key + pack_segment(time) + REST


def index_key(key: bytes) -> bytes:
    return time_first(int.from_bytes(key[-12:-4], "big")) + key[8:-12] + key[-4:]


class Bench:
    """Rows that are kept for a minute, and what they tell."""

    def __init__(
        self,
        engine: MemoryStore | None = None,
        *,
        indexed: bool = False,
        reserve: Reserve | None = None,
        retain_duplicates: bool = False,
    ) -> None:
        self.engine = engine or MemoryStore()
        self.logged: list[Any] = []
        self.dropped = 0
        builder = window_store_builder(
            "s",
            serdes.string(),
            serdes.string(),
            retention_ms=MINUTE,
            window_size_ms=1,
            retain_duplicates=retain_duplicates,
        )
        place = RowPlace(
            Overlay(self.engine, reserve),
            lambda *change: self.logged.append(change),
            self._drop,
            CacheBudget(0),
            Position(),
        )
        to_index = index_key if indexed else None
        self.rows = Rows(place, builder, len(REST), to_index, sees_oldest=False)

    def put(self, key: bytes, time: int, row: bytes | None = b"row") -> None:
        self.rows.write(row_key(key, time), row, 7, ())

    def in_engine(self) -> list[bytes]:
        entries = self.engine.scan(None, None, reverse=False)
        return [key for key, _ in entries if key != CLOCK_KEY]

    def _drop(self) -> None:
        self.dropped += 1


def test_the_changelog_has_the_key_without_its_segment() -> None:
    bench = Bench()
    bench.put(b"a", 5)
    assert bench.logged == [(row_key(b"a", 5)[8:], b"row", 7, ())]


def test_what_is_too_old_is_logged_all_the_same() -> None:
    bench = Bench()
    bench.put(b"a", 5 * MINUTE)
    bench.put(b"b", 0)
    assert bench.dropped == 1
    assert len(bench.logged) == 2
    assert bench.rows.get(row_key(b"b", 0)) is None


def test_a_segment_that_is_too_old_goes_with_the_next_commit() -> None:
    bench = Bench()
    bench.put(b"a", 5)
    bench.rows.commit(1)
    assert bench.in_engine() == [row_key(b"a", 5)]
    bench.put(b"a", 3 * MINUTE)
    assert bench.in_engine() == [row_key(b"a", 5)]
    bench.rows.commit(2)
    assert bench.in_engine() == [row_key(b"a", 3 * MINUTE)]


def test_what_was_put_and_became_too_old_before_its_commit_is_not_written() -> None:
    bench = Bench()
    bench.put(b"a", 5)
    bench.put(b"a", 9 * MINUTE)
    bench.rows.commit(1)
    assert bench.in_engine() == [row_key(b"a", 9 * MINUTE)]


def test_the_order_of_time_goes_with_its_segment() -> None:
    bench = Bench(indexed=True)
    bench.put(b"b", 5)
    bench.put(b"a", 9)
    bench.put(b"c", MINUTE)
    bench.rows.commit(1)
    keys = list(bench.rows.scan_by_time(0, MINUTE, reverse=False))
    assert [(time_of_index(key), key[8:-4]) for key in keys] == [
        (5, b"b"),
        (9, b"a"),
        (MINUTE, b"c"),
    ]
    bench.put(b"a", 3 * MINUTE)
    bench.put(b"a", 3 * MINUTE, None)
    bench.rows.commit(2)
    assert bench.in_engine() == []


def test_the_time_is_known_after_a_restart() -> None:
    before = Bench()
    before.put(b"a", 9 * MINUTE)
    before.rows.commit(1)
    after = Bench(before.engine)
    assert after.rows.clock.observed == 9 * MINUTE
    after.put(b"b", 0)
    assert after.dropped == 1


def test_what_is_restored_is_dropped_if_it_is_too_old() -> None:
    bench = Bench()
    keys = [row_key(b"a", time)[8:] for time in (0, 9 * MINUTE)]
    changes, dropped = bench.rows.restored([(key, b"row") for key in keys])
    bench.engine.write(changes, 5, dropped)
    assert bench.in_engine() == [row_key(b"a", 9 * MINUTE)]
    assert Bench(bench.engine).rows.clock.observed == 9 * MINUTE


def test_a_removal_is_no_drop() -> None:
    bench = Bench()
    bench.put(b"a", 9 * MINUTE)
    bench.rows.remove(row_key(b"a", 0), 3, ())
    assert bench.dropped == 0
    assert bench.logged[-1] == (row_key(b"a", 0)[8:], None, 3, ())


def test_a_row_that_is_later_than_all_that_was_written_is_not_looked_for_in_the_engine() -> None:
    engine = CountingReads()
    bench = Bench(engine, reserve=Reserve(1_000_000))
    engine.reads = 0  # it was asked for the time
    assert bench.rows.get(row_key(b"a", 5)) is None
    assert engine.reads == 1  # nobody knows yet what the engine has
    bench.put(b"a", 5)
    bench.rows.commit(1)
    bench.put(b"a", 6)
    bench.rows.commit(None)
    assert bench.rows.get(row_key(b"a", 6)) == b"row"
    assert bench.rows.get(row_key(b"b", 6)) is None
    assert engine.reads == 1
    assert bench.rows.get(row_key(b"b", 5)) is None
    assert engine.reads == 2


KEYS = st.sampled_from([b"a", b"ab", b"b"])
TIMES = st.integers(0, 2 * MINUTE).map(lambda time: time // 10_000 * 10_000)
STEPS = st.one_of(
    st.tuples(st.just("put"), KEYS, TIMES),
    st.tuples(st.just("delete"), KEYS, TIMES),
    st.tuples(st.sampled_from(["commit", "checkpoint", "scan", "restart"])),
)


@given(st.lists(STEPS, max_size=40), st.sampled_from([None, 0, 300, 1_000_000]))
def test_a_row_is_found_wherever_it_is(steps: list[Any], reserve_bytes: int | None) -> None:
    reserve = None if reserve_bytes is None else Reserve(reserve_bytes)
    bench = Bench(reserve=reserve)
    put: dict[bytes, bytes | None] = {}
    times: dict[bytes, int] = {}
    for number, (step, *row) in enumerate(steps):
        if step in {"put", "delete"}:
            at, value = row_key(*row), b"%d" % number if step == "put" else None
            if at >= bench.rows.clock.live_key:
                put[at], times[at] = value, row[1]
            bench.rows.write(at, value, 7, ())
        elif step == "scan":
            list(bench.rows.scan(None, CLOCK_KEY, reverse=False))
        else:
            bench.rows.commit(None if step == "commit" else number)
            if step == "restart":
                # What waits is read from the changelog; here it is written before the end.
                bench.rows.commit(number)
                bench = Bench(bench.engine, reserve=reserve)
        for at, value in put.items():
            seen = times[at] > bench.rows.clock.expired
            assert bench.rows.get(at) == (value if seen else None)


def test_what_is_restored_is_found_even_if_keys_were_asked_for_before() -> None:
    bench = Bench()
    assert of_key(bench.rows, b"a", 0, MINUTE) == []
    changes, dropped = bench.rows.restored([(row_key(b"a", 5)[8:], b"row")])
    bench.engine.write(changes, 1, dropped)
    assert of_key(bench.rows, b"a", 0, MINUTE) == [(row_key(b"a", 5), b"row")]


def test_rows_of_a_join_are_known_before_anybody_asks() -> None:
    bench = Bench(retain_duplicates=True)
    bench.put(b"a", 5)
    bench.rows.commit(1)
    bench.engine.write({}, None, [(b"", row_key(b"z", 5))])
    assert bench.in_engine() == []
    assert of_key(bench.rows, b"a", 0, MINUTE) == [(row_key(b"a", 5), b"row")]


Step = tuple[bytes, int, bytes | None]


@given(
    st.lists(
        st.one_of(
            st.none(),
            st.tuples(
                st.sampled_from([b"a", b"a" + bytes(8), b"b", b""]),
                st.integers(0, 5 * MINUTE),
                st.sampled_from([b"row", b"other", None]),
            ),
        ),
        max_size=60,
    ),
    st.integers(0, 2 * MINUTE),
)
def test_rows_of_a_key_are_the_same_in_both_forms(steps: list[Step | None], width: int) -> None:
    """None is a commit; what is asked after each step is what is put next."""
    one, other = Bench(), Bench()
    for step in steps:
        if step is None:
            one.rows.commit(None)
            other.rows.commit(None)
            continue
        key, time, row = step
        asked = (key, time - width, time + width)
        found = of_key(one.rows, *asked)
        assert found == Rows.of_key(other.rows, *asked)
        assert found == sorted(found)
        one.put(key, time, row)
        other.put(key, time, row)
        assert of_key(one.rows, *asked) == Rows.of_key(other.rows, *asked)


def test_times_that_are_no_longs_are_times_all_the_same() -> None:
    bench = Bench()
    bench.put(b"a", 5, b"row")
    for _ in range(2):
        assert of_key(bench.rows, b"a", -(2**70), 2**70) == [(row_key(b"a", 5), b"row")]


def test_rows_of_the_last_millisecond_are_found() -> None:
    bench = Bench()
    last = 2**63 - 1
    for key in (b"a", b"b"):
        bench.put(key, last)
        for asked in ((last, last), (last - 5, last), (0, 2**70)):
            found = [(row_key(key, last), b"row")]
            assert of_key(bench.rows, key, *asked) == found
            assert Rows.of_key(bench.rows, key, *asked) == found
        assert of_key(bench.rows, key, 0, last - 1) == []
        bench.rows.commit(None)


def test_references_are_those_that_are_held() -> None:
    bench = Bench()
    row, raw_key = b"a row of its own", b"a key of its own"
    for time in range(10):
        bench.put(raw_key, time, row)
    of_key(bench.rows, raw_key, 0, MINUTE)
    before = sys.getrefcount(row), sys.getrefcount(raw_key)
    for _ in range(100):
        of_key(bench.rows, raw_key, 0, MINUTE)
    assert (sys.getrefcount(row), sys.getrefcount(raw_key)) == before
