"""Writes go to the store and its changelog."""

from __future__ import annotations

from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.logged import LoggedStore, log_to, log_with_own_time_to
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


def test_a_changelog_record_has_the_time_of_the_record_in_hand() -> None:
    sent: list[object] = []
    log_to(sent.append, "log", 3)(b"a", b"1", 5, ())
    assert sent == [("log", 3, b"a", b"1", 5, ())]


def test_a_value_with_a_time_is_logged_without_it_but_under_it() -> None:
    sent: list[object] = []
    log = log_with_own_time_to(sent.append, "log", 3)
    log(b"a", pack_timestamp(9) + b"1", 5, ())
    log(b"a", None, 5, ())
    assert sent == [("log", 3, b"a", b"1", 9, ()), ("log", 3, b"a", None, 5, ())]
