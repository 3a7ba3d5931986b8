"""The store of a table, as its operator sees it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock import serdes
from penstock._engine.runtime.position import Position
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.codec import RowCodec, plain_codec, timestamp_of
from penstock._engine.state.logged import LoggedStore, RecordStore
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.views.table import TableState
from penstock.errors import StreamsError

CODEC = plain_codec("topic", serdes.string(), serdes.json())


def table(*, cached: bool = False, codec: RowCodec = CODEC) -> tuple[TableState, RecordStore]:
    store: RecordStore = LoggedStore(Overlay(MemoryStore()), None)
    if cached:
        store = CachedStore(store, CacheBudget(10_000), Position())
    return TableState("rows", codec, store), store


def test_a_row_has_a_value_and_a_time() -> None:
    state, _ = table()
    raw_key = state.encode_key("a")
    state.put(raw_key, [1], 7, 9, ())
    row = state.read(raw_key)
    assert row is not None
    assert (state.value_of(row), timestamp_of(row)) == ([1], 7)


class Frozen(msgspec.Struct, frozen=True):
    """An immutable value."""

    visits: int


@pytest.mark.parametrize("cached", [False, True])
def test_a_look_gives_the_value_of_now(cached: bool) -> None:
    for of, values in ((Frozen, (Frozen(1), Frozen(2))), (list[int], ([1], [2]))):
        state, _ = table(
            cached=cached, codec=plain_codec("topic", serdes.string(), serdes.json(of))
        )
        look, raw_key = state.looker(), state.encode_key("a")
        assert look(raw_key) is None
        for value in values:
            state.put(raw_key, value, 7, 9, ())
            assert [look(raw_key), look(raw_key)] == [value, value]
        state.put(raw_key, None, 7, 9, ())
        assert look(raw_key) is None


@pytest.mark.parametrize("cached", [False, True])
def test_who_looks_at_what_can_be_changed_has_a_value_of_its_own(cached: bool) -> None:
    state, _ = table(cached=cached)
    look, raw_key = state.looker(), state.encode_key("a")
    state.put(raw_key, [1], 7, 9, ())
    look(raw_key).append(2)
    assert look(raw_key) == [1]


def test_each_reader_has_a_value_of_its_own() -> None:
    state, _ = table()
    state.put(b"a", [1], 0, 0, ())
    row = state.read(b"a")
    assert state.value_of(row) is not state.value_of(row)
    value = [1]
    copy = state.copy(value)
    assert copy == value
    assert copy is not value


def test_none_deletes_a_row() -> None:
    state, _ = table()
    state.put(b"a", 1, 0, 0, ())
    state.put(b"a", None, 0, 0, ())
    assert state.read(b"a") is None
    assert state.value_of(None) is None
    assert state.copy(None) is None


def test_without_a_cache_nothing_is_forwarded_later() -> None:
    state, _ = table()
    assert not state.forwards_at_flush(lambda *record: None, sends_old_values=True)


def test_with_a_cache_changes_are_forwarded_at_the_flush() -> None:
    state, store = table(cached=True)
    assert isinstance(store, CachedStore)
    forwarded: list[Any] = []
    headers = (("h", b"1"),)
    assert state.forwards_at_flush(lambda *r: forwarded.append(r), sends_old_values=True)
    state.put(b"a", 1, 7, 3, headers)
    store.flush()
    state.put(b"a", 2, 8, 4, ())
    state.put(b"a", None, 0, 5, ())
    store.flush()
    assert forwarded == [("a", (1, None), 7, headers), ("a", (None, 1), 5, ())]


def test_a_value_serde_that_does_not_fit_is_explained() -> None:
    state, _ = table()
    with pytest.raises(StreamsError, match="'rows' has a value serde that does not fit"):
        state.put(b"a", object(), 0, 0, ())


def test_only_an_error_of_the_key_s_serde_is_explained() -> None:
    state, _ = table()
    mine = TypeError("mine")
    assert state.explained(mine, "a") is mine
    explained = state.explained(mine, 5)
    assert "'rows' has a key serde that does not fit: got int 5" in str(explained)
    assert explained.__cause__ is mine
