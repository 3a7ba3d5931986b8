"""Whether a table's changes carry the value that was there before.

The old value costs a lookup, so a table sends it only if something below asks. The question goes up
to the nearest table with a store; one that reads a topic may be given a store for it. It is asked
when a verb is drawn and the answer is drawn into the steps above: a verb that was refused, since no
table above it had a store yet, is not asked again when one gets a store later. Java:
KTableImpl.enableSendingOldValues.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from penstock._engine.topology.graph import Graph, Process, TableFromTopic
from penstock._engine.topology.nodes import (
    Aggregate,
    Reduce,
    TableFilter,
    TableMapValues,
    TableOperation,
    TableSource,
)


class Ask(Enum):
    """How much a verb wants the old values of the table above it."""

    IF_STORED = "take them if a store above has them anyway"
    ALWAYS = "give the table a store if none above has one"


def send_old_values(graph: Graph, step: int, ask: Ask) -> bool:
    """Let the table of `step` send old values; False if it has none to send."""
    operation = table_operation(graph, step)
    if operation.sends_old_values:
        return True
    match operation:
        case Aggregate() | Reduce():
            able = True
        case TableSource():
            able = operation.is_materialized or ask is Ask.ALWAYS
            operation = replace(operation, is_materialized=able)
        case TableFilter() | TableMapValues():
            able = operation.store is not None or _parent_sends(graph, step, ask)
    if able:
        _redraw(graph, step, replace(operation, sends_old_values=True))
    return able


def table_operation(graph: Graph, step: int) -> TableOperation:
    """Give what makes the changes of the table at `step`."""
    drawing = graph.steps[step].drawing
    assert isinstance(drawing, (TableFromTopic, Process))
    assert isinstance(drawing.operation, TableOperation)
    return drawing.operation


def _parent_sends(graph: Graph, step: int, ask: Ask) -> bool:
    [parent] = graph.steps[step].parents
    return send_old_values(graph, parent, ask)


def _redraw(graph: Graph, step: int, operation: TableOperation) -> None:
    drawing = graph.steps[step].drawing
    if isinstance(drawing, TableFromTopic):
        assert isinstance(operation, TableSource)
        graph.redraw(step, replace(drawing, operation=operation))
    else:
        assert isinstance(drawing, Process)
        graph.redraw(step, replace(drawing, operation=operation))
