"""The record cache of a store. Against Java: the conformance cases `cache_*`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import RecordMetadata
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.records import RawRecord
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.logged import LoggedStore
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock.record import HeaderPairs

LARGE = 10_000_000


class Bench:
    """A cached store, what it has logged and what its listener was told."""

    def __init__(
        self,
        limit_bytes: int = LARGE,
        budget: CacheBudget | None = None,
        position: Position | None = None,
    ) -> None:
        self.logged: list[Any] = []
        self.flushed: list[Any] = []
        self.position = position or Position()
        self.budget = budget or CacheBudget(limit_bytes)
        self.below = LoggedStore(
            Overlay(MemoryStore()), lambda *change: self.logged.append(change[:3])
        )
        self.cache = CachedStore(self.below, self.budget, self.position)

    def listen(self, *, sends_old_values: bool = False) -> None:
        self.cache.listen(self.hear, sends_old_values=sends_old_values)

    def hear(
        self, key: bytes, new: bytes | None, old: bytes | None, timestamp: int, headers: HeaderPairs
    ) -> None:
        self.flushed.append((key, new, old))

    def write(self, *pairs: tuple[bytes, bytes | None]) -> None:
        for key, value in pairs:
            self.cache.write(key, value, 0, ())


def test_a_write_is_seen_and_goes_down_only_at_the_flush() -> None:
    bench = Bench()
    bench.write((b"a", b"1"))
    assert bench.cache.get(b"a") == b"1"
    assert bench.below.get(b"a") is None
    bench.cache.flush()
    assert bench.below.get(b"a") == b"1"


def test_the_flush_has_each_key_once_in_the_order_of_the_last_writes() -> None:
    bench = Bench()
    bench.write((b"a", b"1"), (b"b", b"1"), (b"c", b"1"), (b"a", b"2"))
    bench.cache.flush()
    bench.cache.flush()
    assert bench.logged == [(b"b", b"1", 0), (b"c", b"1", 0), (b"a", b"2", 0)]


@pytest.mark.parametrize(
    ("keeps_bytes", "raw"), [(True, (7, 5, b"k", b"v", ())), (False, (7, 5, None, None, ()))]
)
def test_at_the_flush_the_record_is_in_hand_with_its_bytes_if_anybody_looks(
    keeps_bytes: bool, raw: RawRecord
) -> None:
    bench = Bench(position=Position(keeps_bytes=keeps_bytes))
    in_hand = []
    bench.cache.listen(
        lambda *change: in_hand.append((bench.position.raw, bench.position.metadata())),
        sends_old_values=False,
    )
    bench.position.topic, bench.position.partition = "in", 2
    bench.position.raw = (7, 5, b"k", b"v", ())
    bench.cache.write(b"a", b"1", 5, ())
    bench.position.enter_timer(30)
    bench.cache.write(b"b", b"1", 30, ())
    bench.cache.flush()
    assert in_hand == [(raw, RecordMetadata("in", 2, 7)), (None, RecordMetadata(None, -1, -1))]
    assert bench.position.raw is None


def test_a_row_that_came_and_went_is_nothing_to_a_listener() -> None:
    bench = Bench()
    bench.listen()
    bench.write((b"a", b"1"), (b"a", None))
    bench.cache.flush()
    assert (bench.logged, bench.flushed) == ([], [])


def test_a_listener_that_does_not_ask_which_record_it_is_hears_the_same() -> None:
    told = []
    for quiet in (False, True):
        bench = Bench()
        bench.listen()
        if quiet:
            bench.cache.listen_to_rows(bench.hear)
        bench.write((b"a", b"1"), (b"b", b"2"), (b"c", b"3"))
        bench.cache.flush()
        bench.write((b"a", b"4"), (b"b", None), (b"d", b"5"), (b"d", None), (b"c", b"6"))
        bench.cache.flush()
        told.append(
            (bench.logged, bench.flushed, dict(bench.below.scan(None, None, reverse=False)))
        )
    assert told[0] == told[1]
    assert told[0][2] == {b"a": b"4", b"c": b"6"}


def test_without_a_listener_a_deletion_is_always_logged() -> None:
    bench = Bench()
    bench.write((b"a", b"1"), (b"a", None))
    bench.cache.flush()
    assert bench.logged == [(b"a", None, 0)]


@pytest.mark.parametrize(("asked", "old"), [(True, b"1"), (False, None)])
def test_the_old_value_is_the_one_below_at_the_flush(asked: bool, old: bytes | None) -> None:
    bench = Bench()
    bench.listen(sends_old_values=asked)
    bench.write((b"a", b"1"))
    bench.cache.flush()
    bench.write((b"a", b"2"), (b"a", b"3"))
    bench.cache.flush()
    assert bench.flushed == [(b"a", b"1", None), (b"a", b"3", old)]


def test_the_listener_finds_the_task_where_it_was_at_the_write() -> None:
    bench = Bench()
    seen: list[Any] = []
    position = bench.position
    bench.cache.listen(
        lambda *change: seen.append(
            (position.metadata(), position.timestamp, position.headers, change[3:])
        ),
        sends_old_values=False,
    )
    position.topic, position.partition, position.raw = "in", 3, (7, 50, b"k", b"v", ())
    bench.cache.write(b"a", b"1", 50, (("h", b"x"),))
    position.enter_timer(99)
    bench.cache.flush()
    headers = (("h", b"x"),)
    assert seen == [(("in", 3, 7), 50, headers, (50, headers))]
    assert (position.metadata(), position.timestamp) == ((None, -1, -1), 99)
    assert position.headers == ()


def test_the_task_is_back_where_it_was_even_if_a_listener_raises() -> None:
    bench = Bench()

    def fail(*change: object) -> None:
        bench.position.enter_processor(1, (("h", b"of a processor below"),))
        raise RuntimeError

    bench.cache.listen(fail, sends_old_values=False)
    bench.position.topic = "in"
    bench.write((b"a", b"1"))
    bench.position.topic = "other"
    bench.position.enter_processor(7, (("h", b"x"),))
    with pytest.raises(RuntimeError):
        bench.cache.flush()
    position = bench.position
    assert (position.topic, position.timestamp) == ("other", 7)
    assert position.headers == (("h", b"x"),)


def test_overflow_lets_the_oldest_go_and_flushes_all_changes() -> None:
    bench = Bench(limit_bytes=2 * (45 + 2))
    bench.write((b"a", b"1"), (b"b", b"1"))
    assert bench.logged == []
    bench.write((b"c", b"1"))
    assert [key for key, _, _ in bench.logged] == [b"a", b"b", b"c"]
    assert bench.budget.used_bytes == 2 * (45 + 2)


def test_what_was_read_stays_longer() -> None:
    bench = Bench(limit_bytes=2 * (45 + 2))
    bench.write((b"a", b"1"), (b"b", b"1"))
    bench.cache.get(b"a")
    bench.write((b"c", b"1"))
    assert [key for key, _, _ in bench.logged] == [b"b", b"a", b"c"]


def test_caches_of_one_budget_share_it_and_the_one_written_to_gives_way() -> None:
    one = Bench(limit_bytes=2 * (45 + 2))
    other = Bench(budget=one.budget)
    one.write((b"a", b"1"))
    other.write((b"b", b"1"))
    other.write((b"c", b"1"))
    assert (one.logged, [key for key, _, _ in other.logged]) == ([], [b"b", b"c"])


def test_clearing_forgets_changes_and_gives_the_room_back() -> None:
    bench = Bench()
    bench.write((b"a", b"1"))
    bench.cache.clear()
    bench.cache.flush()
    assert (bench.cache.get(b"a"), bench.logged, bench.budget.used_bytes) == (None, [], 0)


def test_a_listener_may_write_to_the_same_cache() -> None:
    bench = Bench()

    def again(key: bytes, new: bytes | None, *rest: object) -> None:
        bench.flushed.append((key, new))
        if new == b"1":
            bench.write((key, b"2"))

    bench.cache.listen(again, sends_old_values=False)
    bench.write((b"a", b"1"), (b"b", b"9"))
    bench.cache.flush()
    assert bench.cache.get(b"a") == b"2"
    bench.cache.flush()
    assert bench.flushed == [(b"a", b"1"), (b"b", b"9"), (b"a", b"2")]


KEYS = st.binary(min_size=1, max_size=2)
STEPS = st.lists(
    st.one_of(
        st.tuples(KEYS, st.none() | st.binary(min_size=1, max_size=40)),
        st.sampled_from(["flush", "scan"]),
        st.tuples(KEYS),
    )
)


@given(STEPS, st.sampled_from([1, 60, 150, 400, LARGE]))
def test_whatever_happens_it_reads_like_the_store_it_stands_before(
    steps: list[Any], limit_bytes: int
) -> None:
    bench, model = Bench(limit_bytes), dict[bytes, bytes]()
    for step in steps:
        if step == "flush":
            bench.cache.flush()
        elif step == "scan":
            assert list(bench.cache.scan(None, None, reverse=False)) == sorted(model.items())
            reverse = list(bench.cache.scan(b"\x10", b"\xf0", reverse=True))
            within = {key: value for key, value in model.items() if b"\x10" <= key < b"\xf0"}
            assert reverse == sorted(within.items(), reverse=True)
        elif len(step) == 1:
            assert bench.cache.get(step[0]) == model.get(step[0])
        else:
            key, value = step
            bench.write((key, value))
            model.pop(key, None)
            if value is not None:
                model[key] = value
        assert bench.budget.used_bytes <= limit_bytes
    bench.cache.flush()
    assert list(bench.below.scan(None, None, reverse=False)) == sorted(model.items())
    restored: dict[bytes, bytes] = {}
    for key, value, _ in bench.logged:
        restored.pop(key, None)
        if value is not None:
            restored[key] = value
    assert restored == model
