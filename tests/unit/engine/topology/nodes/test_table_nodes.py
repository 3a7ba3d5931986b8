"""The operations of tables: their stores, and how their rows are looked up."""

from __future__ import annotations

import pytest

from penstock import serdes
from penstock._engine.topology.nodes.stream_nodes import TableOperation
from penstock._engine.topology.nodes.table_nodes import (
    GroupedTableAggregate,
    GroupedTableReduce,
    TableJoinMerge,
    TableSuppress,
    TableTransformValues,
)
from penstock._engine.topology.nodes.views import JoinedRows, StoredRows
from penstock.stores import StoreBuilder
from penstock.stores._builders import store_builder

STORE = store_builder("rows", serdes.string(), serdes.string(), kind="timestamped_key_value")
JOINED = JoinedRows(StoredRows("left"), StoredRows("right"), max, False, False)


@pytest.mark.parametrize(
    "operation",
    [
        GroupedTableAggregate(STORE, str, max, max),
        GroupedTableReduce(STORE, max, max),
        TableTransformValues(object, STORE),
        TableJoinMerge(JOINED, STORE),
    ],
)
def test_an_operation_with_a_store_keeps_its_rows_there(operation: TableOperation) -> None:
    assert operation.own_stores() == (STORE,)
    assert operation.rows() == StoredRows("rows")


def test_a_versioned_operation_knows_older_rows() -> None:
    operation = GroupedTableReduce(STORE, max, max, is_versioned=True)
    assert operation.rows() == StoredRows("rows", with_versions=True)


def test_without_a_store_a_join_is_computed_and_a_view_keeps_nothing() -> None:
    none: tuple[StoreBuilder, ...] = ()
    assert (TableJoinMerge(JOINED, None).own_stores(), TableJoinMerge(JOINED, None).rows()) == (
        none,
        JOINED,
    )
    view = TableTransformValues(object, None)
    assert (view.own_stores(), view.rows()) == (none, None)


def test_a_buffer_is_not_where_rows_are_looked_up() -> None:
    operation = TableSuppress(STORE, 5, True, None, None, False, None)
    assert (operation.own_stores(), operation.rows()) == ((STORE,), None)
