"""Uncommitted changes: how much they are, when they are applied, when they are forgotten.

What can be read through them is in tests/stores, for every engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from penstock._engine.state.contract import KeyRange
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay, Reserve


class FullDisk(MemoryStore):
    """An engine that cannot be written to while it is full."""

    full = True

    def write(
        self,
        changes: Mapping[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[KeyRange] = (),
    ) -> None:
        if self.full:
            raise OSError
        super().write(changes, changelog_offset, dropped)


class CountingReads(MemoryStore):
    """An engine that counts its reads."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def get(self, key: bytes) -> bytes | None:
        self.reads += 1
        return super().get(key)


def contents(store: MemoryStore | Overlay) -> dict[bytes, bytes]:
    entries: Iterator[tuple[bytes, bytes]] = store.scan(None, None, reverse=False)
    return dict(entries)


def test_changes_reach_the_engine_only_when_applied() -> None:
    engine = MemoryStore()
    engine.write({b"a": b"1", b"b": b"2"}, 1)
    overlay = Overlay(engine)
    overlay.put(b"c", b"3")
    overlay.delete(b"a")
    assert contents(engine) == {b"a": b"1", b"b": b"2"}
    overlay.apply(2)
    assert contents(engine) == contents(overlay) == {b"b": b"2", b"c": b"3"}
    assert engine.changelog_offset() == 2


def test_changes_can_be_forgotten() -> None:
    engine = MemoryStore()
    engine.write({b"a": b"1"}, 1)
    overlay = Overlay(engine)
    overlay.put(b"a", b"2")
    overlay.delete(b"b")
    overlay.discard()
    assert contents(overlay) == {b"a": b"1"}
    assert overlay.size_bytes == 0
    overlay.apply(None)
    assert engine.changelog_offset() == 1


def test_an_offset_moves_without_changes() -> None:
    engine = MemoryStore()
    Overlay(engine).apply(9)
    assert engine.changelog_offset() == 9


def test_a_failed_write_loses_no_change() -> None:
    engine = FullDisk()
    overlay = Overlay(engine)
    overlay.put(b"a", b"1")
    with pytest.raises(OSError):  # noqa: PT011 -- whatever the engine raises
        overlay.apply(1)
    assert overlay.get(b"a") == b"1"
    assert overlay.size_bytes == 2
    engine.full = False
    overlay.apply(1)
    assert contents(engine) == {b"a": b"1"}


def test_the_size_is_that_of_the_keys_and_values_that_wait() -> None:
    overlay = Overlay(MemoryStore())
    assert overlay.size_bytes == 0
    overlay.put(b"key", b"12345")
    assert overlay.size_bytes == 8
    overlay.put(b"key", b"1")
    assert overlay.size_bytes == 4
    overlay.delete(b"key")
    overlay.delete(b"key")
    assert overlay.size_bytes == 3
    overlay.delete(b"other")
    assert overlay.size_bytes == 8
    overlay.put(b"key", b"12")
    assert overlay.size_bytes == 10
    overlay.apply(1)
    assert overlay.size_bytes == 0


def test_what_is_changed_is_not_looked_up_in_the_engine() -> None:
    engine = CountingReads()
    overlay = Overlay(engine)
    overlay.put(b"a", b"1")
    overlay.delete(b"b")
    assert (overlay.get(b"a"), overlay.get(b"b")) == (b"1", None)
    assert engine.reads == 0


def test_entries_are_counted_exactly_while_changes_are_few() -> None:
    engine = MemoryStore()
    engine.write({b"a": b"1", b"b": b"2"}, 1)
    overlay = Overlay(engine)
    overlay.put(b"a", b"3")
    overlay.put(b"c", b"4")
    overlay.delete(b"b")
    overlay.delete(b"x")
    assert overlay.approximate_num_entries() == 2


def test_entries_are_estimated_when_changes_are_many() -> None:
    engine = CountingReads()
    engine.write({b"%06d" % number: b"old" for number in range(0, 20_000, 2)}, 1)
    overlay = Overlay(engine)
    for number in range(20_000):
        overlay.put(b"%06d" % number, b"new")
    assert overlay.approximate_num_entries() == 20_000
    assert engine.reads == 1_000


def test_committed_changes_may_wait_for_the_next_offset() -> None:
    engine = MemoryStore()
    engine.write({b"a": b"0"}, 1)
    overlay = Overlay(engine, Reserve(10_000))
    overlay.put(b"a", b"1")
    overlay.delete(b"b")
    overlay.apply(None)
    overlay.put(b"c", b"3")
    assert contents(engine) == {b"a": b"0"}
    assert [overlay.get(key) for key in (b"a", b"b", b"c")] == [b"1", None, b"3"]
    overlay.discard()
    assert [overlay.get(key) for key in (b"a", b"b", b"c")] == [b"1", None, None]
    overlay.apply(2)
    assert contents(engine) == {b"a": b"1"}
    assert engine.changelog_offset() == 2


def test_what_waits_for_the_engine_counts_as_committed() -> None:
    engine = MemoryStore()
    overlay = Overlay(engine, Reserve(10_000))
    overlay.put(b"a", b"1")
    assert overlay.committed_entries() == 0
    overlay.apply(None)
    assert overlay.committed_entries() == 1
    overlay.write_back()
    assert overlay.committed_entries() == 1


def test_a_scan_lets_the_engine_have_what_is_committed() -> None:
    engine = MemoryStore()
    overlay = Overlay(engine, Reserve(10_000))
    overlay.put(b"a", b"1")
    overlay.apply(None)
    overlay.put(b"b", b"2")
    assert contents(overlay) == {b"a": b"1", b"b": b"2"}
    assert contents(engine) == {b"a": b"1"}


def test_stores_write_when_their_common_reserve_is_used_up() -> None:
    reserve = Reserve(1_000)
    engines = MemoryStore(), MemoryStore()
    overlays = [Overlay(engine, reserve) for engine in engines]
    for number in range(4):
        for overlay in overlays:
            overlay.put(b"key%d" % number, b"value")
            overlay.apply(None)
    # The one that found it used up has written; the other goes on.
    assert [len(contents(engine)) for engine in engines] == [0, 4]
    assert 0 < reserve.used_bytes <= 1_000
    for overlay in overlays:
        overlay.write_back()
    assert [len(contents(engine)) for engine in engines] == [4, 4]
    assert reserve.used_bytes == 0


def test_what_was_written_last_is_not_looked_up_in_the_engine() -> None:
    engine = CountingReads()
    overlay = Overlay(engine, Reserve(10_000))
    overlay.put(b"a", b"1")
    overlay.apply(1)
    assert overlay.get(b"a") == b"1"
    assert engine.reads == 0


def test_what_is_dropped_is_forgotten() -> None:
    engine = MemoryStore()
    overlay = Overlay(engine, Reserve(10_000))
    overlay.put(b"a", b"1")
    overlay.put(b"z", b"2")
    overlay.apply(None)
    overlay.apply(None, [(b"a", b"b")])
    assert (overlay.get(b"a"), overlay.get(b"z")) == (None, b"2")


def test_hot_keys_are_counted_once_in_the_reserve() -> None:
    reserve = Reserve(1_000)
    overlay = Overlay(MemoryStore(), reserve)
    for number in range(1_000):
        overlay.put(b"hot", b"%d" % number)
        overlay.apply(None)
    assert reserve.used_bytes < 200
