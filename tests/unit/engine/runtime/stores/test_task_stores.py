"""The stores of a task: flush, commit, restore, close."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Stores, StreamsConfig, ValueAndTimestamp, serdes
from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.stores.task_stores import (
    StoreSite,
    TaskStore,
    flush_stores,
    memory_engine,
    open_stores,
)
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Reserve
from penstock.errors import ConfigError, StateClosedError, StreamsError
from penstock.stores import StoreBuilder
from penstock.stores._builders import store_builder

TEXT = serdes.string()
PLAIN = Stores.in_memory_key_value_store("plain", key=TEXT, value=TEXT)
TIMED = Stores.timestamped_key_value_store("timed", key=TEXT, value=TEXT)
CACHED = Stores.timestamped_key_value_store("cached", key=TEXT, value=TEXT, caching=True)


class Bench:
    """Stores of one task, their engines and outputs."""

    def __init__(self, cache_bytes: int = 1000, reserve: Reserve | None = None) -> None:
        self.engines: dict[str, MemoryStore] = {}
        self.collector = Collector(lambda topic: 1)
        self.site = StoreSite(
            3,
            StreamsConfig({"application.id": "app"}),
            self.collector,
            Position(),
            self._make_engine,
            CacheBudget(cache_bytes),
            reserve=reserve,
        )

    def open(self, builder: StoreBuilder) -> TaskStore:
        topic = f"app-{builder.name}-changelog"
        plan = StorePlan(builder, topic if builder.logged else None, topic)
        return open_stores({builder.name: plan}, self.site)[builder.name]

    def _make_engine(self, plan: StorePlan) -> StoreEngine:
        engine = self.engines[plan.builder.name] = MemoryStore()
        return engine


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_changes_become_part_of_the_engine_at_the_commit(bench: Bench) -> None:
    store = bench.open(PLAIN)
    store.face.put("a", "1")
    assert bench.engines["plain"].get(b"a") is None
    store.commit(17)
    assert bench.engines["plain"].get(b"a") == b"1"
    assert store.changelog_offset() == 17


def test_a_commit_that_knows_no_offset_leaves_it(bench: Bench) -> None:
    store = bench.open(PLAIN)
    store.face.put("a", "1")
    store.commit(17)
    store.face.put("b", "1")
    store.commit(None)
    assert store.changelog_offset() == 17


def test_changes_go_to_the_partition_of_the_changelog_at_once(bench: Bench) -> None:
    store = bench.open(PLAIN)
    assert store.changelog == ("app-plain-changelog", 3)
    bench.site.position.timestamp = 5
    store.face.put("a", "1")
    assert bench.collector.drain() == [("app-plain-changelog", 3, b"a", b"1", 5, ())]


def test_a_store_without_a_changelog_writes_none(bench: Bench) -> None:
    store = bench.open(Stores.persistent_key_value_store("s", key=TEXT, value=TEXT, logging=False))
    store.face.put("a", "1")
    assert store.changelog is None
    assert bench.collector.drain() == []


def test_a_cached_store_writes_at_the_flush(bench: Bench) -> None:
    store = bench.open(CACHED)
    store.face.put("a", ValueAndTimestamp("1", 8))
    store.face.put("a", ValueAndTimestamp("2", 9))
    assert bench.collector.drain() == []
    store.flush()
    assert bench.collector.drain() == [("app-cached-changelog", 3, b"a", b"2", 9, ())]


def test_a_budget_of_nothing_means_no_cache() -> None:
    bench = Bench(cache_bytes=0)
    store = bench.open(CACHED)
    store.face.put("a", ValueAndTimestamp("1", 8))
    assert len(bench.collector.drain()) == 1
    store.flush()


def test_a_restored_store_has_the_rows_and_the_offset(bench: Bench) -> None:
    store = bench.open(PLAIN)
    store.restore([(b"a", b"1", 5), (b"b", b"2", 6), (b"a", None, 7), (b"c", b"3", 8)], 42)
    assert list(store.face.all()) == [("b", "2"), ("c", "3")]
    assert store.changelog_offset() == 42
    assert bench.collector.drain() == []


def test_a_restored_row_has_the_time_of_its_changelog_record(bench: Bench) -> None:
    store = bench.open(TIMED)
    store.restore([(b"a", b"1", 5), (b"a", b"2", 3), (b"b", b"1", 4), (b"b", None, 9)], 4)
    store.restore([(b"c", b"1", 4)], 5)
    assert list(store.face.all()) == [("a", ("2", 3)), ("c", ("1", 4))]
    assert store.changelog_offset() == 5


def test_what_is_not_committed_is_forgotten_at_the_close(bench: Bench) -> None:
    store = bench.open(CACHED)
    store.face.put("a", ValueAndTimestamp("1", 8))
    store.close()
    assert (bench.site.budget.used_bytes, bench.collector.drain()) == (0, [])
    with pytest.raises(StateClosedError):
        store.face.get("a")


def test_a_failing_flush_names_the_store(bench: Bench) -> None:
    store = bench.open(CACHED)

    def fail(*record: Any) -> None:
        msg = "no"
        raise ValueError(msg)

    assert store.table is not None
    store.table.forwards_at_flush(fail, sends_old_values=False)
    store.face.put("a", ValueAndTimestamp("1", 8))
    with pytest.raises(StreamsError, match="'cached' failed to flush: ValueError: no"):
        store.flush()


def test_a_store_without_serdes_needs_the_default_ones(bench: Bench) -> None:
    with pytest.raises(ConfigError, match="state store 's' has no key serde"):
        bench.open(store_builder("s", None, TEXT, kind="timestamped_key_value"))


def test_only_tables_have_the_face_of_an_operator(bench: Bench) -> None:
    assert bench.open(PLAIN).table is None
    assert bench.open(TIMED).table is not None


def test_the_test_driver_keeps_all_stores_in_memory() -> None:
    assert isinstance(memory_engine(StorePlan(TIMED, None, "t")), MemoryStore)


def test_a_store_that_feeds_itself_when_it_is_flushed_is_named(bench: Bench) -> None:
    store = bench.open(CACHED)
    put = store.face.put
    assert store.table is not None
    store.table.forwards_at_flush(
        lambda *record: put("a", ValueAndTimestamp("2", 9)), sends_old_values=False
    )
    put("a", ValueAndTimestamp("1", 8))
    with pytest.raises(StreamsError, match="'cached' still have changes after 100 flushes"):
        flush_stores([store])


def test_a_last_write_that_fails_uses_up_nothing_of_the_shared_reserve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reserve = Reserve(10_000)
    bench = Bench(reserve=reserve)
    store = bench.open(PLAIN)
    store.face.put("a", "1" * 1000)
    store.commit(None)
    assert reserve.used_bytes > 1000

    def is_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(MemoryStore, "write", is_full)
    with pytest.raises(OSError, match="No space"):
        store.close()
    assert reserve.used_bytes == 0
