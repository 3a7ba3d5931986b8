"""The store that a processor sees."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import ValueAndTimestamp, serdes
from penstock._engine.runtime.position import Position
from penstock._engine.state.codec import plain_codec, timestamped_codec
from penstock._engine.state.logged import LoggedStore
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.views.key_value import TypedKeyValueStore
from penstock.errors import StreamsError

CODEC = plain_codec("topic", serdes.string(), serdes.json())


@pytest.fixture
def logged() -> list[Any]:
    return []


@pytest.fixture
def position() -> Position:
    return Position()


@pytest.fixture
def store(logged: list[Any], position: Position) -> TypedKeyValueStore:
    below = LoggedStore(Overlay(MemoryStore()), lambda *change: logged.append(change[:3]))
    return TypedKeyValueStore("store", CODEC, below, position)


def test_put_get_and_delete(store: TypedKeyValueStore) -> None:
    store.put("a", 1)
    assert (store.name, store.get("a"), store.get("b")) == ("store", 1, None)
    assert store.put_if_absent("a", 2) == 1
    assert store.put_if_absent("b", 2) is None
    assert store.delete("a") == 1
    assert store.delete("a") is None
    assert list(store.all()) == [("b", 2)]


def test_ranges_include_both_ends(store: TypedKeyValueStore) -> None:
    store.put_all((key, key) for key in ["b", "a", "bb", "c", "ba"])
    assert [key for key, _ in store.range("b", "bb")] == ["b", "ba", "bb"]
    assert [key for key, _ in store.reverse_range("b", None)] == ["c", "bb", "ba", "b"]
    assert [key for key, _ in store.reverse_all()] == ["c", "bb", "ba", "b", "a"]
    assert [key for key, _ in store.prefix_scan(b"b")] == ["b", "ba", "bb"]
    assert [key for key, _ in store.range("c", "a")] == []
    assert store.approximate_num_entries() == 5


def test_a_prefix_of_the_last_byte_has_no_key_behind_it(position: Position) -> None:
    codec = plain_codec("topic", serdes.bytes(), serdes.bytes())
    store = TypedKeyValueStore("store", codec, LoggedStore(Overlay(MemoryStore()), None), position)
    store.put_all([(b"\xfe", b""), (b"\xff", b""), (b"\xff\xff\x01", b"")])
    assert [key for key, _ in store.prefix_scan(b"\xff")] == [b"\xff", b"\xff\xff\x01"]


def test_a_value_is_not_shared_with_its_user(store: TypedKeyValueStore) -> None:
    value = [1]
    store.put("a", value)
    value.append(2)
    found = store.get("a")
    found.append(3)
    assert store.get("a") == [1]


def test_a_change_is_logged_with_the_time_of_the_record_in_hand(
    store: TypedKeyValueStore, position: Position, logged: list[Any]
) -> None:
    position.timestamp = 7
    store.put("a", 1)
    position.timestamp = 3
    store.delete("a")
    assert logged == [(b"a", b"1", 7), (b"a", None, 3)]


def test_with_times_it_keeps_them(position: Position) -> None:
    below = LoggedStore(Overlay(MemoryStore()), None)
    store = TypedKeyValueStore("store", timestamped_codec(CODEC), below, position)
    store.put("a", ValueAndTimestamp([1], 5))
    assert store.get("a") == ValueAndTimestamp([1], 5)
    assert list(store.all()) == [("a", ([1], 5))]
    assert store.delete("a") == ([1], 5)


def test_no_key_is_refused(store: TypedKeyValueStore) -> None:
    with pytest.raises(ValueError, match="'store' takes no null keys"):
        store.put(None, 1)


def test_a_serde_that_does_not_fit_names_the_store(store: TypedKeyValueStore) -> None:
    with pytest.raises(StreamsError, match="'store' has a key serde that does not fit: got int 5"):
        store.get(5)
    with pytest.raises(StreamsError, match="'store' has a value serde that does not fit"):
        store.put("a", object())
