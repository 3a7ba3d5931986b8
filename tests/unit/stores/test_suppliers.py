"""Store builders."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from penstock import StoreBuilder, Stores, TopologyError, serdes


def test_a_store_has_a_name_serdes_and_a_changelog() -> None:
    store = Stores.in_memory_key_value_store("s", key=serdes.string(), value=serdes.long())
    assert (store.name, store.key, store.value) == ("s", serdes.string(), serdes.long())
    assert store.logged


def test_a_builder_does_not_change() -> None:
    store = Stores.in_memory_key_value_store("s", key=serdes.string(), value=serdes.long())
    with pytest.raises(dataclasses.FrozenInstanceError):
        store.name = "other"  # type: ignore[misc]


def test_a_store_lives_where_it_is_asked_for() -> None:
    text = serdes.string()
    memory = Stores.in_memory_key_value_store("s", key=text, value=text)
    disk = Stores.persistent_key_value_store("s", key=text, value=text, caching=True)
    timed = Stores.timestamped_key_value_store("s", key=text, value=text, store="in_memory")
    assert (memory.kind, memory.engine, memory.cached) == ("key_value", "in_memory", False)
    assert (disk.kind, disk.engine, disk.cached) == ("key_value", "rocksdb", True)
    assert (timed.kind, timed.engine, timed.cached) == ("timestamped_key_value", "in_memory", False)


def test_logging_is_on_off_or_the_settings_of_the_topic() -> None:
    def store(logging: Any) -> StoreBuilder:
        text = serdes.string()
        return Stores.persistent_key_value_store("s", key=text, value=text, logging=logging)

    assert not store(logging=False).logged
    given = {"retention.ms": "1000"}
    kept = store(given)
    given.clear()
    assert (kept.logged, kept.changelog_settings) == (True, {"retention.ms": "1000"})
    with pytest.raises(TopologyError, match="logging must be True, False or"):
        store("yes")
    with pytest.raises(TopologyError, match="settings must be str: str"):
        store({"retention.ms": 1000})


def test_an_engine_that_there_is_not_is_refused() -> None:
    text: Any = serdes.string()
    wrong: Any = "lmdb"
    with pytest.raises(
        TopologyError,
        match="must live in 'rocksdb', 'in_memory' or an engine of your own; got 'lmdb'",
    ):
        Stores.timestamped_key_value_store("s", key=text, value=text, store=wrong)


STORES: dict[str, dict[str, Any]] = {
    "key_value_store": {},
    "in_memory_key_value_store": {},
    "persistent_key_value_store": {},
    "timestamped_key_value_store": {},
    "lru_map": {"max_entries": 2},
    "versioned_key_value_store": {"history_retention": 10},
    "window_store": {"retention": 10, "window_size": 5},
    "persistent_window_store": {"retention": 10, "window_size": 5},
    "in_memory_window_store": {"retention": 10, "window_size": 5},
    "timestamped_window_store": {"retention": 10, "window_size": 5},
    "session_store": {"retention": 10},
    "persistent_session_store": {"retention": 10},
    "in_memory_session_store": {"retention": 10},
}


@pytest.mark.parametrize("name", [None, "", 5, "a b"])
@pytest.mark.parametrize("kind", STORES)
def test_names_that_cannot_exist_are_refused_at_once(kind: str, name: Any) -> None:
    with pytest.raises(TopologyError, match=r"^a store's name must ") as caught:
        getattr(Stores, kind)(name, **STORES[kind])
    assert "test_suppliers.py" in str(caught.value)


@pytest.mark.parametrize("kind", STORES)
def test_serdes_that_are_left_out_are_the_default_ones(kind: str) -> None:
    store = getattr(Stores, kind)("s", **STORES[kind])
    assert (store.key, store.value) == (None, None)
