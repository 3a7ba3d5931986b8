"""From what the user says of a store to its builder."""

from __future__ import annotations

from datetime import timedelta

import pytest

from penstock import Materialized, TopologyError
from penstock._engine.topology.graph import Graph
from penstock.dsl.materialized import (
    is_versioned,
    materialized_option,
    note_unnamed,
    store_name,
    table_store,
)


def test_a_store_without_a_name_gets_the_next_one_and_is_noted() -> None:
    graph = Graph()
    assert store_name(graph, Materialized("mine"), "KTABLE-") == "mine"
    name = store_name(graph, Materialized(), "KTABLE-")
    assert list(graph.unnamed_stores) == [name]
    assert list(graph.unnamed_changelogs) == [f"{name}-changelog"]


def test_a_changelog_that_is_not_there_is_not_noted() -> None:
    graph = Graph()
    store_name(graph, Materialized(logging=False), "KTABLE-")
    note_unnamed(graph, table_store(Materialized(logging=False), "rows", None, None))
    assert list(graph.unnamed_changelogs) == []


def test_a_history_makes_a_versioned_store() -> None:
    option: Materialized[str, str] = Materialized("rows", history_retention=timedelta(hours=1))
    store = table_store(option, "rows", None, None)
    assert (store.kind, store.times and store.times.retention_ms) == (
        "versioned_key_value",
        3_600_000,
    )
    assert table_store(Materialized("rows"), "rows", None, None).kind == "timestamped_key_value"


def test_a_versioned_store_needs_a_name() -> None:
    with pytest.raises(TopologyError, match="must have a named store"):
        is_versioned(Materialized(history_retention=1))


def test_what_is_not_said_is_the_default() -> None:
    assert materialized_option(None, "count") == Materialized()
    with pytest.raises(TopologyError, match="count"):
        materialized_option("rows", "count")  # type: ignore[arg-type]
