"""From `Materialized` to a store: its name, its builder, and whether it keeps versions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from penstock._engine.topology.checks import check_option
from penstock._engine.topology.graph import Graph
from penstock._engine.topology.nodes.stream_nodes import TableOperation
from penstock.dsl.options import Materialized, check_duration
from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.stores import StoreBuilder
from penstock.stores._builders import (
    chosen_by,
    lru_map_builder,
    store_builder,
    versioned_store_builder,
)

Op = TypeVar("Op", bound=TableOperation)


def materialized_option(
    materialized: Materialized[Any, Any] | None, verb: str
) -> Materialized[Any, Any]:
    """Return the option of a verb's store, or the defaults."""
    if materialized is None:
        return Materialized()
    return check_option(materialized, Materialized, verb)


def store_name(graph: Graph, option: Materialized[Any, Any], prefix: str) -> str:
    """Return the name of a store: the user's, or the next one with that prefix."""
    if option.name is not None:
        return option.name
    name = graph.names.store(prefix)
    graph.unnamed_stores.append(name)
    if option.logging is not False:
        graph.unnamed_changelogs.append(f"{name}-changelog")
    return name


def table_store(
    option: Materialized[Any, Any],
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
) -> StoreBuilder:
    """Return the store of a table or an aggregate."""
    if is_versioned(option):
        return versioned_store_builder(
            name,
            key,
            value,
            history_retention_ms=check_duration(option.history_retention or 0, "history_retention"),
            engine=option.store or "rocksdb",
            logging=option.logging,
        )
    if option.max_entries is not None:
        return lru_map_builder(
            name,
            key,
            value,
            max_entries=option.max_entries,
            kind="timestamped_key_value",
            caching=option.caching,
            logging=option.logging,
        )
    store = store_builder(
        name,
        key,
        value,
        kind="timestamped_key_value",
        engine=option.store or "rocksdb",
        caching=option.caching,
        logging=option.logging,
    )
    return chosen_by(store, option.store)


def is_versioned(option: Materialized[Any, Any]) -> bool:
    """Yes if a table is to be versioned; raise if its store then has no name."""
    if option.history_retention is None:
        return False
    if option.name is None:
        msg = (
            "a versioned table must have a named store; got Materialized(history_retention=...) "
            "without a name; write Materialized('rows', history_retention=...)"
        )
        raise TopologyError(msg)
    return True


def with_versions(operation: Op, option: Materialized[Any, Any]) -> Op:
    """Return the operation, versioned if its store is to be."""
    return replace(operation, is_versioned=True) if is_versioned(option) else operation


def note_unnamed(graph: Graph, store: StoreBuilder) -> None:
    """Note a store that the user gave no name, and its changelog."""
    graph.unnamed_stores.append(store.name)
    if store.logged:
        graph.unnamed_changelogs.append(f"{store.name}-changelog")
