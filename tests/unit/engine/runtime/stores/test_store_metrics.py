"""The metrics of a store: its tag, its size, and what a cache and a buffer hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from penstock import Stores, StreamsConfig, serdes
from penstock._engine.metrics.rows import CACHE, STATE
from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.stores.task_stores import StoreSite, TaskStore
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock._engine.state.views.suppression import SuppressionState
from penstock.stores import StoreBuilder
from penstock.stores._builders import suppression_buffer_builder

TEXT = serdes.string()
NOW = 10.0


class OwnEngine(MemoryStore):
    """An engine of the user's, with attributes whose names we use too."""

    properties = statistics = "the user's"


def opened(builder: StoreBuilder, engine: StoreEngine, level: str = "INFO") -> TaskStore:
    config = StreamsConfig({"application.id": "app", "metrics.recording.level": level})
    site = StoreSite(
        0, config, Collector(lambda topic: 1), Position(), lambda plan: engine, CacheBudget(10_000)
    )
    return TaskStore(StorePlan(builder, None, "rows"), site)


def values(store: TaskStore, group: str = STATE) -> dict[str, Any]:
    [found] = [row.values for row in store.metric_rows(NOW) if row.group == group]
    return found


def put_and_commit(store: TaskStore, *keys: str) -> None:
    for key in keys:
        store.values.put(key, "vv")
    store.flush()
    store.commit(None)


def test_a_store_in_memory_tells_about_how_many_bytes_it_has() -> None:
    builder = Stores.in_memory_key_value_store("rows", key=TEXT, value=TEXT)
    store = opened(builder, MemoryStore())
    assert values(store) == {"num-keys": 0, "state-bytes": 0}
    put_and_commit(store, *(f"{number:04}" for number in range(1_000)))
    assert values(store) == {"num-keys": 1_000, "state-bytes": 1_000 * (4 + 2)}


def test_rocksdb_tells_its_files_and_memtables(tmp_path: Path) -> None:
    builder = Stores.persistent_key_value_store("rows", key=TEXT, value=TEXT)
    store = opened(builder, RocksDbStore(tmp_path / "rows"))
    put_and_commit(store, "a")
    shown = values(store)
    assert shown["state-bytes"] == shown["total-sst-files-size"] + shown["size-all-mem-tables"] > 0
    assert "put-total" not in shown
    assert "bytes-written-total" not in shown
    store.close()


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_an_engine_of_the_user_s_is_asked_for_nothing(level: str) -> None:
    builder = Stores.in_memory_key_value_store("rows", key=TEXT, value=TEXT)
    store = opened(replace(builder, engine=lambda place: OwnEngine()), OwnEngine(), level)
    shown = values(store)
    assert (shown["num-keys"], "state-bytes" in shown) == (0, False)
    assert store.metrics.tag == {"custom-state-id": "rows"}


def test_the_hit_ratio_of_a_cache_at_debug() -> None:
    builder = Stores.in_memory_key_value_store("rows", key=TEXT, value=TEXT, caching=True)
    store = opened(builder, MemoryStore(), "DEBUG")
    assert values(store, CACHE) == {}
    store.values.put("a", "v")
    for key in ("a", "b", "a", "a"):
        store.values.get(key)
    assert values(store, CACHE)["hit-ratio-avg"] == pytest.approx(0.75)
    assert store.metrics.cache_bytes > 0
    at_info = opened(builder, MemoryStore())
    assert [row.group for row in at_info.metric_rows(NOW)] == [STATE]


def test_a_suppression_buffer_shows_what_it_holds_at_info() -> None:
    store = opened(suppression_buffer_builder("held", TEXT, TEXT, logging=False), MemoryStore())
    state = store.state(SuppressionState)
    state.put(b"k", 1, b"new", None, (1, (), "in", 0, None))
    shown = values(store)
    assert (shown["suppression-buffer-count"], shown["suppression-buffer-size"]) == (
        1,
        state.buffer.size_bytes,
    )
    assert store.metrics.tag == {"in-memory-suppression-state-id": "held"}


def test_tags_name_the_engine_and_the_kind() -> None:
    lru = Stores.lru_map("few", max_entries=3, key=TEXT, value=TEXT)
    assert opened(lru, MemoryStore()).metrics.tag == {"in-memory-lru-state-id": "few"}
