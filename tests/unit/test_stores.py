"""Store builders."""

from __future__ import annotations

import dataclasses

import pytest

from penstock import Stores, serdes


def test_a_store_has_a_name_serdes_and_a_changelog() -> None:
    store = Stores.in_memory_key_value_store("s", key=serdes.string(), value=serdes.long())
    assert (store.name, store.key, store.value) == ("s", serdes.string(), serdes.long())
    assert store.logged


def test_a_builder_does_not_change() -> None:
    store = Stores.in_memory_key_value_store("s", key=serdes.string(), value=serdes.long())
    with pytest.raises(dataclasses.FrozenInstanceError):
        store.name = "other"  # type: ignore[misc]
