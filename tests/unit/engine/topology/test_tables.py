"""Whether a table sends old values: asked when a verb is drawn, answered in the steps above."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import KTable, Materialized, StreamsBuilder
from penstock._engine.topology.nodes import TableSource
from penstock._engine.topology.tables import Ask, send_old_values, table_operation


def ask(table: KTable[Any, Any], ask: Ask) -> bool:
    return send_old_values(table._graph, table._step, ask)


def sends(table: KTable[Any, Any]) -> bool:
    return table_operation(table._graph, table._step).sends_old_values


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
    operation = table_operation(table._graph, table._step)
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
