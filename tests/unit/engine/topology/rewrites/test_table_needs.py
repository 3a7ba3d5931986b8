"""Whether a table sends old values, and how its rows are looked up: asked when a verb is drawn,
answered in the steps above.
"""

from __future__ import annotations

from typing import Any

import pytest

from penstock import KTable, Materialized, StreamsBuilder, Suppressed
from penstock._engine.topology.graph import TableJoin
from penstock._engine.topology.nodes.stream_nodes import TableSource
from penstock._engine.topology.nodes.views import StoredRows, SuppressedRows
from penstock._engine.topology.rewrites.table_needs import (
    Ask,
    send_old_values,
    table_operation,
    table_view,
)


def ask(table: KTable[Any, Any], ask: Ask) -> bool:
    return send_old_values(table._handle.graph, table._handle.step, ask)


def sends(table: KTable[Any, Any]) -> bool:
    return table_operation(table._handle.graph, table._handle.step).sends_old_values


@pytest.fixture
def builder() -> StreamsBuilder:
    return StreamsBuilder()


def test_a_table_without_a_store_has_none_to_send(builder: StreamsBuilder) -> None:
    table = builder.table("in")
    assert not ask(table, Ask.IF_STORED)
    assert not sends(table)


def test_a_table_without_a_store_is_given_one_if_it_must_send(builder: StreamsBuilder) -> None:
    table = builder.table("in")
    assert ask(table, Ask.ALWAYS)
    operation = table_operation(table._handle.graph, table._handle.step)
    assert isinstance(operation, TableSource)
    assert (operation.is_materialized, operation.sends_old_values) == (True, True)
    assert list(builder.build().stores) == ["in-STATE-STORE-0000000000"]
    assert table.queryable_store_name is None


def test_a_table_with_a_store_sends_them(builder: StreamsBuilder) -> None:
    for table in (
        builder.table("in", materialized=Materialized[Any, Any]("rows")),
        builder.stream("in2").to_table(Materialized("more")),
        builder.stream("in3").group_by_key().count(),
        builder.stream("in3").group_by_key().reduce(lambda a, v: v),
    ):
        assert not sends(table)
        assert ask(table, Ask.IF_STORED)
        assert sends(table)


def test_a_view_asks_the_table_above(builder: StreamsBuilder) -> None:
    rows = builder.table("in", materialized=Materialized[Any, Any]("rows"))
    view = rows.map_values(lambda v: v).map_values_with_key(lambda k, v: v)
    assert not sends(rows)
    assert ask(view, Ask.IF_STORED)
    assert sends(rows)
    assert sends(view)


def test_a_view_with_a_store_does_not_trouble_the_table_above(builder: StreamsBuilder) -> None:
    rows = builder.table("in", materialized=Materialized[Any, Any]("rows"))
    view = rows.map_values(lambda v: v, Materialized("view"))
    assert ask(view, Ask.IF_STORED)
    assert not sends(rows)


def test_a_filter_asks_when_it_is_drawn(builder: StreamsBuilder) -> None:
    rows = builder.table("in", materialized=Materialized[Any, Any]("rows"))
    kept = rows.filter(lambda k, v: True)
    assert sends(rows)
    assert sends(kept)


def test_a_filter_is_not_asked_again_when_the_table_gets_a_store_later(
    builder: StreamsBuilder,
) -> None:
    table = builder.table("in")
    before = table.filter(lambda k, v: True)
    assert ask(table, Ask.ALWAYS)
    after = table.filter(lambda k, v: True)
    assert (sends(before), sends(after)) == (False, True)


def test_a_join_always_sends_them(builder: StreamsBuilder) -> None:
    left, right = builder.table("left"), builder.table("right")
    joined = left.join(right, lambda one, other: one)
    assert not sends(left)
    assert ask(joined, Ask.IF_STORED)
    assert [sends(table) for table in (left, right, joined)] == [True, True, True]
    drawing = joined._handle.graph.steps[joined._handle.step].drawing
    assert isinstance(drawing, TableJoin)
    assert drawing.this.sends_old_values
    assert drawing.other.sends_old_values


def test_a_side_that_is_kept_sends_them(builder: StreamsBuilder) -> None:
    left, right, third = builder.table("left"), builder.table("right"), builder.table("third")
    left.left_join(right, lambda one, other: one)
    assert [sends(table) for table in (left, right)] == [True, False]
    right.outer_join(third, lambda one, other: one)
    assert [sends(table) for table in (right, third)] == [True, True]


def test_what_is_held_back_or_grouped_sends_them(builder: StreamsBuilder) -> None:
    held, grouped = builder.table("held"), builder.table("grouped")
    assert sends(held.suppress(Suppressed.until_time_limit(5)))
    grouped.map_values(str).group_by(lambda key, value: (key, value))
    assert [sends(table) for table in (held, grouped)] == [True, True]


def test_a_source_that_is_looked_up_is_given_a_store(builder: StreamsBuilder) -> None:
    table = builder.table("in")
    view = table.filter(lambda key, value: True).map_values(str)
    shown = table_view(view._handle.graph, view._handle.step)
    assert shown.stores() == ("in-STATE-STORE-0000000000",)
    assert not sends(table)
    assert list(builder.build().stores) == ["in-STATE-STORE-0000000000"]


def test_a_view_with_a_store_is_looked_up_there(builder: StreamsBuilder) -> None:
    view = builder.table("in").map_values(str, Materialized("shown"))
    assert table_view(view._handle.graph, view._handle.step) == StoredRows("shown")
    assert list(builder.build().stores) == ["shown"]


def test_what_is_held_back_is_looked_up_in_the_buffer_and_above(builder: StreamsBuilder) -> None:
    rows = builder.table("in", materialized=Materialized[Any, Any]("rows"))
    held = rows.suppress(Suppressed.until_time_limit(5, name="held"))
    shown = table_view(held._handle.graph, held._handle.step)
    assert shown == SuppressedRows("held-store", StoredRows("rows"))


def test_versions_are_inherited_unless_a_materialized_is_given(builder: StreamsBuilder) -> None:
    def versioned(table: KTable[Any, Any]) -> bool:
        return table_operation(table._handle.graph, table._handle.step).is_versioned

    option = Materialized[Any, Any]("rows", history_retention=1000)
    rows = builder.table("in", materialized=option)
    view = rows.filter(lambda key, value: True).map_values(str)
    assert versioned(view)
    assert not versioned(view.map_values(str, Materialized()))
    assert not versioned(view.join(rows, lambda one, other: one))
    assert versioned(
        builder.table("other").map_values(str, Materialized("more", history_retention=1000))
    )
