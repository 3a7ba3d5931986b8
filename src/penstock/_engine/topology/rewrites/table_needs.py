"""What tables need for the verbs below them: old values in their changes, a store.

An old value costs a lookup, so a table sends it only if a verb below asks. The request goes up to
the nearest table with a store; one that reads a topic may get a store for it. It happens when the
verb is drawn and changes the steps above: a request that failed, since no table above had a store
yet, is not repeated when one gets a store later. Java: KTableImpl.enableSendingOldValues and
valueGetterSupplier.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from penstock._engine.topology.graph import Graph, ProcessorDrawing, TableFromTopic, TableJoin
from penstock._engine.topology.nodes.stream_nodes import (
    TableFilter,
    TableMapValues,
    TableOperation,
    TableSource,
)
from penstock._engine.topology.nodes.table_nodes import TableSuppress, TableTransformValues
from penstock._engine.topology.nodes.views import (
    FilteredRows,
    MappedRows,
    SuppressedRows,
    TransformedRows,
    View,
)
from penstock._engine.topology.nodes.window_nodes import CogroupMerge


class Ask(Enum):
    """How strongly a verb needs the old values of the table above it."""

    IF_STORED = "take them if a store above has them anyway"
    ALWAYS = "give the table a store if none above has one"


def send_old_values(graph: Graph, step: int, ask: Ask) -> bool:
    """Make the table of `step` send old values; return False if it has none."""
    operation = table_operation(graph, step)
    if operation.sends_old_values:
        return True
    drawing = graph.steps[step].drawing
    if isinstance(drawing, TableJoin):
        _join_sends(graph, step, drawing)
        return True
    if isinstance(operation, CogroupMerge):
        for parent in graph.steps[step].parents:
            send_old_values(graph, parent, ask)
    if isinstance(operation, TableSource):
        able = operation.is_materialized or ask is Ask.ALWAYS
        operation = replace(operation, is_materialized=able)
    else:
        able = operation.rows() is not None or _parent_sends(graph, step, ask)
    if able:
        _redraw(graph, step, replace(operation, sends_old_values=True))
    return able


def table_view(graph: Graph, step: int) -> View:
    """Return how to look up the rows of the table at `step`; a table that reads a topic gets a
    store for it.
    """
    operation = table_operation(graph, step)
    if isinstance(operation, TableSource) and not operation.is_materialized:
        operation = replace(operation, is_materialized=True)
        _redraw(graph, step, operation)
    rows = operation.rows()
    if rows is not None:
        return rows
    [parent] = graph.steps[step].parents
    above = table_view(graph, parent)
    match operation:
        case TableFilter():
            return FilteredRows(above, operation.predicate, operation.keep_when)
        case TableMapValues():
            return MappedRows(above, operation.mapper, operation.with_key)
        case TableTransformValues():
            return TransformedRows(above, operation.supplier)
        case TableSuppress():
            return SuppressedRows(operation.store.name, above)
    raise AssertionError(operation)


def table_operation(graph: Graph, step: int) -> TableOperation:
    """Return the operation that makes the changes of the table at `step`."""
    drawing = graph.steps[step].drawing
    assert isinstance(drawing, (TableFromTopic, ProcessorDrawing, TableJoin))
    assert isinstance(drawing.operation, TableOperation)
    return drawing.operation


def _parent_sends(graph: Graph, step: int, ask: Ask) -> bool:
    [parent] = graph.steps[step].parents
    return send_old_values(graph, parent, ask)


def _join_sends(graph: Graph, step: int, join: TableJoin) -> None:
    """Make both tables of a join send old values: it looks rows up, so both have stores."""
    for parent in graph.steps[step].parents:
        send_old_values(graph, parent, Ask.ALWAYS)
    graph.redraw(
        step,
        replace(
            join,
            this=replace(join.this, sends_old_values=True),
            other=replace(join.other, sends_old_values=True),
            operation=replace(join.operation, sends_old_values=True),
        ),
    )


def _redraw(graph: Graph, step: int, operation: TableOperation) -> None:
    drawing = graph.steps[step].drawing
    if isinstance(drawing, TableFromTopic):
        assert isinstance(operation, TableSource)
        graph.redraw(step, replace(drawing, operation=operation))
    else:
        assert isinstance(drawing, ProcessorDrawing)
        graph.redraw(step, replace(drawing, operation=operation))
