"""Writes go to the store and its changelog."""

from __future__ import annotations

from penstock._engine.state.logged import LoggedStore
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay

Logged = list[tuple[bytes, bytes | None, int]]


def test_a_write_is_stored_and_logged_with_the_time_of_its_record() -> None:
    logged: Logged = []
    store = LoggedStore(Overlay(MemoryStore()), lambda *change: logged.append(change[:3]))
    store.write(b"a", b"1", 5, ())
    store.write(b"b", b"2", 6, ())
    store.write(b"a", None, 3, ())
    assert store.get(b"a") is None
    assert list(store.scan(None, None, reverse=False)) == [(b"b", b"2")]
    assert store.approximate_num_entries() == 1
    assert logged == [(b"a", b"1", 5), (b"b", b"2", 6), (b"a", None, 3)]


def test_a_store_without_a_changelog_only_stores() -> None:
    store = LoggedStore(Overlay(MemoryStore()), None)
    store.write(b"a", b"1", 5, ())
    store.write(b"b", b"1", 5, ())
    store.write(b"b", None, 5, ())
    assert list(store.scan(None, None, reverse=False)) == [(b"a", b"1")]
