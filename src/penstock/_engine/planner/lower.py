"""Which code runs which operation: the one list of all operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock._engine.operators import aggregate, stateless, table, user
from penstock._engine.operators.site import Process, Site
from penstock._engine.topology import nodes

_OPERATORS: dict[type[nodes.Operation], Callable[[Any, Site], Process]] = {
    nodes.Filter: stateless.filter_records,
    nodes.DropNullKeys: stateless.drop_null_keys,
    nodes.Map: stateless.map_records,
    nodes.SelectKey: stateless.select_key,
    nodes.MapValues: stateless.map_values,
    nodes.FlatMap: stateless.flat_map,
    nodes.FlatMapValues: stateless.flat_map_values,
    nodes.Peek: stateless.peek,
    nodes.Branch: stateless.branch,
    nodes.PassThrough: stateless.pass_through,
    nodes.Print: stateless.print_records,
    nodes.UserProcessor: user.user_processor,
    nodes.Aggregate: aggregate.aggregate_records,
    nodes.Reduce: aggregate.reduce_records,
    nodes.TableSource: table.table_source,
    nodes.TableFilter: table.table_filter,
    nodes.TableMapValues: table.table_map_values,
    nodes.ToStream: table.to_stream,
}


def lower(operation: nodes.Operation, site: Site) -> Process:
    """Build the operator of `operation` into `site`."""
    return _OPERATORS[type(operation)](operation, site)
