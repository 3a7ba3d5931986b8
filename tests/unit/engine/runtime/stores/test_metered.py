"""Views of a store whose operations are counted: twins of the plain ones."""

from __future__ import annotations

import pytest

from penstock import serdes
from penstock._engine.metrics.store_meter import StoreMeter
from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.output.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.stores.metered import OPERATIONS, metered
from penstock._engine.runtime.stores.store_kinds import StoreSite, open_store
from penstock._engine.runtime.stores.task_stores import memory_engine
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.cache.fold import Functions
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.views.table import TableState
from penstock.settings import StreamsConfig
from penstock.stores._builders import store_builder

TEXT = serdes.string()


@pytest.mark.parametrize("kind", OPERATIONS)
def test_the_operations_of_a_view_exist(kind: type) -> None:
    slots = {name for above in kind.__mro__ for name in getattr(above, "__slots__", ())}
    assert [name for name in OPERATIONS[kind] if not (hasattr(kind, name) or name in slots)] == []


@pytest.fixture
def table() -> tuple[TableState, StoreMeter]:
    """A metered table with a cache."""
    site = StoreSite(
        0,
        StreamsConfig({"application.id": "app"}),
        Collector(lambda topic: 1),
        Position(),
        memory_engine,
        CacheBudget(10_000),
    )
    builder = store_builder("rows", TEXT, TEXT, kind="timestamped_key_value", caching=True)
    opened, _ = open_store(StorePlan(builder, None, "rows"), site, MemoryStore())
    meter = StoreMeter(0.0)
    state = metered(opened, meter, Position()).state
    assert isinstance(state, TableState)
    return state, meter


def test_a_twin_does_what_the_plain_view_does(table: tuple[TableState, StoreMeter]) -> None:
    state, meter = table
    state.put(b"k", "v", 5, 5, ())
    row = state.read(b"k")
    assert row is not None
    assert state.decode_row(row) == (5, "v")
    assert (meter.count("put"), meter.count("get")) == (1, 1)
    assert state.cache is not None


def test_folding_counts_a_get_and_a_put_for_each_record(
    table: tuple[TableState, StoreMeter],
) -> None:
    state, meter = table
    fold = state.folder(Functions(lambda: "", lambda key, value, total: total + value))
    fold(b"k", "k", "a", 1, ())
    fold(b"k", "k", "b", 2, ())
    assert state.looker()(b"k") == "ab"
    assert (meter.count("put"), meter.count("get")) == (2, 3)
